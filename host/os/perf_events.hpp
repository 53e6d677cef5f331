#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

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

/// Events of one PMU that count together or not at all, whatever runs on their CPU. They count once enabled.
/// Source: man perf_event_open.
class PerfGroup {
 public:
  /// Nothing where the system refuses; `problem` is then permission_denied, no_such_file_or_directory (no such PMU),
  /// invalid_argument (no such event, or more than the PMU counts at once), no_such_device.
  static std::optional<PerfGroup> open(std::span<const PerfEvent> events, int cpu, std::error_code& problem);

  PerfGroup(PerfGroup&& other) noexcept = default;
  PerfGroup& operator=(PerfGroup&& other) noexcept = default;
  PerfGroup(const PerfGroup&) = delete;
  PerfGroup& operator=(const PerfGroup&) = delete;
  ~PerfGroup();

  std::error_code enable();
  std::error_code disable();

  /// Fills in a value for each event, in their order. Allocates nothing. Returns device_or_resource_busy where the
  /// kernel has stopped the group for good, as it does with a pinned group for which it finds no counters.
  std::error_code read(std::span<std::uint64_t> values, PerfTimes& times) noexcept;

 private:
  PerfGroup() = default;

  std::vector<int> files_;             ///< the first one is the leader
  std::vector<std::uint64_t> ids_;     ///< the kernel's names of the events
  std::vector<std::uint64_t> buffer_;  ///< what one read brings
};

}  // namespace sonde::os
