#pragma once

#include <cstdint>
#include <functional>

#include "device/device.hpp"

namespace sonde::workloads {

/// Tells whether a CPU device's cores all worked for as long as a dispatch took. One that another program has, or on
/// which two of the driver's threads take turns, leaves the others to do its work-groups: a rate that is a half or
/// less, and that nothing else tells from a slow device.
class BusyCores {
 public:
  /// `groups`: work-groups of a dispatch, which may be fewer than there are cores.
  BusyCores(const device::DeviceInfo& device, std::uint32_t groups);

  /// Makes the dispatch, which returns the device's own time for it.
  device::Nanoseconds during(const std::function<device::Nanoseconds()>& dispatch);

  /// Whether some core did not work through the last dispatch. Other devices never say so, nor where the system counts
  /// CPU time by ticks that are as long as a dispatch.
  [[nodiscard]] bool some_were_away() const { return some_were_away_; }

 private:
  std::uint32_t cores_;  ///< that work; 0 where nobody can tell
  bool some_were_away_ = false;
};

/// The same from the CPU time that all threads of this process had meanwhile.
bool some_were_away(std::uint32_t cores, double cpu_seconds, double passed_seconds);

}  // namespace sonde::workloads
