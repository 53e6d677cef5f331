#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <system_error>
#include <vector>

#include "counters/traffic/counter_source.hpp"
#include "os/perf_events.hpp"
#include "os/time.hpp"

namespace sonde::counters {

/// A group of the kernel's counters. Tests replace it by a kernel of their own.
class EventGroup {
 public:
  EventGroup() = default;
  EventGroup(const EventGroup&) = delete;
  EventGroup& operator=(const EventGroup&) = delete;
  virtual ~EventGroup() = default;

  virtual std::error_code enable() noexcept = 0;
  virtual std::error_code disable() noexcept = 0;
  /// Behaves as os::PerfGroup::read.
  virtual std::error_code read(std::span<std::uint64_t> values, os::PerfTimes& times) noexcept = 0;
};

/// Opens events of one PMU as a group on a CPU; null where that fails, and `problem` says why.
using OpenGroup = std::function<std::unique_ptr<EventGroup>(std::span<const os::PerfEvent> events, int cpu,
                                                            std::error_code& problem)>;

/// The OpenGroup of this machine's kernel.
std::unique_ptr<EventGroup> open_event_group(std::span<const os::PerfEvent> events, int cpu, std::error_code& problem);

/// A group, its place among the values of a snapshot, and whether it is multiplexed with other groups of its PMU.
struct PlacedGroup {
  std::unique_ptr<EventGroup> group;
  std::size_t first_value = 0;
  std::size_t values = 0;
  bool is_rotated = false;
};

/// Groups of the kernel's counters as one source. One of those that are multiplexed counts at a time.
class GroupSource final : public CounterSource {
 public:
  /// Starts the counting. `layout` describes the groups; `clock` gives the times of snapshots.
  GroupSource(
      Layout layout, std::vector<PlacedGroup> groups,
      std::function<std::int64_t()> clock = [] { return os::steady_ns(); });

  [[nodiscard]] const Layout& layout() const override { return layout_; }
  void read(CounterSnapshot& into) noexcept override;
  void rotate_group() noexcept override;

 private:
  void read_group(std::size_t place) noexcept;

  Layout layout_;
  std::vector<PlacedGroup> groups_;
  std::function<std::int64_t()> clock_;
  std::vector<std::size_t> rotated_;  ///< the groups that are multiplexed
  std::size_t rotation_ = 0;          ///< which of them counts now
  CounterSnapshot last_;              ///< the latest values of each group, also of those that do not count now
};

}  // namespace sonde::counters
