#pragma once

#include <functional>
#include <optional>
#include <string>

#include "measure/probe.hpp"

namespace sonde::measure {

struct Settled {
  bool stable = false;  ///< the last five windows agreed within 0.5 %
  double nanoseconds_per_step = 0;
};

/// Why nothing that the device times can be believed: by its clock work takes a small part of the time that the host
/// waits for it, or more. Empty where it can. Needs work that is long beside a launch.
std::optional<std::string> clock_flaw(const Workload& arithmetic);

/// Runs a chain of dependent arithmetic until its speed, which depends on the clock alone, stands still: GPUs
/// start at a fraction of their clock and climb for up to half a second. Gives up after `longest` of device time.
Settled settle_clock(const Workload& arithmetic, gpu::Nanoseconds longest, const std::function<void()>& alive);

}  // namespace sonde::measure
