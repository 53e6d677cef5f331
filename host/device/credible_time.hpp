#pragma once

#include <cstdint>

#include "device/device.hpp"

namespace sonde::device {

/// What the device's clock says of work for which the host waited so long. Throws Error where it is more than that.
Nanoseconds credible(Nanoseconds device, Nanoseconds host);

/// What the device's clock says of work. Throws Error where it says nothing, although it counts so finely that all work
/// takes longer: it stands still.
Nanoseconds moved(Nanoseconds device, double timer_step_ns);

/// Ticks from a timestamp to a later one, of a counter of so many bits that may have wrapped. Throws Error where it was
/// an earlier one: half of what such a counter counts is longer than anything that is timed.
std::uint64_t ticks_between(std::uint64_t begin, std::uint64_t end, std::uint32_t bits);

}  // namespace sonde::device
