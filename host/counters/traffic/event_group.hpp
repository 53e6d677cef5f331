#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <system_error>

#include "os/perf_events.hpp"

namespace sonde::counters {

/// A group of the kernel's counters. The seam at which tests put a kernel of their own.
class EventGroup {
 public:
  EventGroup() = default;
  EventGroup(const EventGroup&) = delete;
  EventGroup& operator=(const EventGroup&) = delete;
  virtual ~EventGroup() = default;

  virtual std::error_code enable() noexcept = 0;
  virtual std::error_code disable() noexcept = 0;
  /// As os::PerfGroup::read.
  virtual std::error_code read(std::span<std::uint64_t> values, os::PerfTimes& times) noexcept = 0;
};

/// Opens events of one PMU as a group on a CPU; null where that cannot be, and why.
using OpenGroup = std::function<std::unique_ptr<EventGroup>(std::span<const os::PerfEvent> events, int cpu,
                                                            std::error_code& problem)>;

/// With this machine's kernel.
std::unique_ptr<EventGroup> open_event_group(std::span<const os::PerfEvent> events, int cpu, std::error_code& problem);

}  // namespace sonde::counters
