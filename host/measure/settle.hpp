#pragma once

#include "measure/workload.hpp"

namespace sonde::measure {

struct Settled {
  bool stable = false;  ///< the last five windows agreed within 0.5 %
  double nanoseconds_per_step = 0;
};

/// The reason for which the device's clock cannot be believed: by it, work takes a small part of the time that the host
/// waits for it, or more than that time. Empty where it can be. The work must be long beside a launch.
std::optional<std::string> why_clock_is_wrong(const SteppedWork& arithmetic);

/// Runs a chain of dependent arithmetic until its speed, which depends on the clock alone, stands still: GPUs start at
/// a fraction of their clock and climb for up to half a second. Gives up after `longest` of device time.
Settled settle_clock(const SteppedWork& arithmetic, device::Nanoseconds longest, const std::function<void()>& alive);

/// Brings a GPU's clock back to where it was. Some drivers let it fall to a third while the host prepares a working
/// set, and it climbs for seconds: measurements meanwhile would show a slower device.
class ClockRecovery {
 public:
  /// `arithmetic` is the work that the clock settled with, `longest` the device time that one recovery may take, and
  /// `budget` the time of all of them.
  ClockRecovery(SteppedWork arithmetic, const Settled& settled, device::Nanoseconds longest,
                device::Nanoseconds budget);

  /// Works until arithmetic is as fast as it ever was; a device that cannot get there any more, as it is hot or out of
  /// power, is not kept waiting for the same again. Throws device::Error where the work is not done.
  void recover(const std::function<void()>& alive);

 private:
  /// The time of a step now, by work that takes about `wanted` at the usual clock.
  device::Nanoseconds per_step(device::Nanoseconds wanted);

  SteppedWork arithmetic_;
  double usual_ns_;  ///< a step
  device::Nanoseconds longest_;
  device::Nanoseconds budget_;
  device::Nanoseconds spent_{0};
};

/// The reason in the record where the recovery failed.
std::string without_clock_recovery(const std::string& why);

}  // namespace sonde::measure
