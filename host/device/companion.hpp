#pragma once

#include <functional>
#include <vector>

#include "device/device.hpp"

namespace sonde::device {

/// One stretch of a chase by the CPU, on the host's steady clock.
struct ChaseWindow {
  Nanoseconds begin{0};
  Nanoseconds end{0};
  double ns_per_load = 0;
  double clock_mhz = 0;      ///< of its core right after; 0 where nobody knows
  bool interrupted = false;  ///< its thread did not have the core for all of it: no latency of memory
};

/// A core of the CPU that chases pointers through memory beyond every cache, while something else happens or nothing.
class Companion {
 public:
  virtual ~Companion() = default;
  /// The windows of a chase that began before `meanwhile` was called and ended once it returned.
  virtual std::vector<ChaseWindow> chase_during(const std::function<void()>& meanwhile) = 0;
  virtual std::vector<ChaseWindow> chase_for(Nanoseconds time) = 0;
};

}  // namespace sonde::device
