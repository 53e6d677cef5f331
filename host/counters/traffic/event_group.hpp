#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "counters/traffic/counter_source.hpp"
#include "os/perf_events.hpp"
#include "os/time.hpp"

namespace sonde::counters {

using os::EventGroup;
using os::OpenGroup;

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
