#pragma once

#include "device/device.hpp"

// What short stretches that the steady clock timed say.
namespace sonde::workloads {

/// The least that the steady clock was seen to move between two readings: what a reading takes, unless the clock is
/// coarser than that.
device::Nanoseconds clock_step();

/// Nanoseconds for each of `count` equal parts of a stretch, less the reading of the clock that is in it. Throws
/// device::Error where the clock stood still, and device::TooShort where it moved by few of its steps.
double nanoseconds_each(device::Nanoseconds stretch, double count, device::Nanoseconds clock_step);

}  // namespace sonde::workloads
