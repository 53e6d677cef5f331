#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <system_error>

namespace sonde::os {

/// An event of a PMU; both fields are those of `perf_event_attr`.
struct PerfEvent {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
};

/// How long a group was enabled, and for how much of that it counted.
struct PerfTimes {
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
};

/// Events of one PMU that count together or not at all, whatever runs on their CPU. They count once enabled. Tests
/// replace it by a kernel of their own. Source: man perf_event_open.
class EventGroup {
 public:
  EventGroup() = default;
  EventGroup(const EventGroup&) = delete;
  EventGroup& operator=(const EventGroup&) = delete;
  virtual ~EventGroup() = default;

  virtual std::error_code enable() noexcept = 0;
  virtual std::error_code disable() noexcept = 0;
  /// Fills in a value for each event, in their order. Allocates nothing. Returns device_or_resource_busy where the
  /// kernel has stopped the group for good, as it does with a pinned group for which it finds no counters.
  virtual std::error_code read(std::span<std::uint64_t> values, PerfTimes& times) noexcept = 0;
};

/// Opens events of one PMU as a group on a CPU; null where that fails, and `problem` says why.
using OpenGroup =
    std::function<std::unique_ptr<EventGroup>(std::span<const PerfEvent> events, int cpu, std::error_code& problem)>;

/// The OpenGroup of this machine's kernel, whose problems are permission_denied, no_such_file_or_directory (no such
/// PMU), invalid_argument (no such event, or more than the PMU counts at once) and no_such_device.
std::unique_ptr<EventGroup> open_event_group(std::span<const PerfEvent> events, int cpu, std::error_code& problem);

}  // namespace sonde::os
