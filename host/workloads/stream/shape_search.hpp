#pragma once

#include "device/device.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::workloads {

/// How far a search goes: nothing is tried and the usual shape of GPUs taken, the usual shapes of GPUs and CPUs alone,
/// once through all numbers of the better one, or until none of them helps any more.
enum class SearchDepth { none, usual, once, full };

/// The shape that moves most bytes a second of this device over a working set of `bytes`, all arrays together; not
/// proved, as whoever measures with it proves that. A few milliseconds of device time for each shape that is tried,
/// and not more than some dozens of shapes; the same device answers alike, as no clock but its own is asked.
StreamShape search_shape(device::Device& device, Pattern pattern, Sharing sharing, std::uint64_t bytes,
                         SearchDepth depth, measure::Path path = measure::Path::buffer);

}  // namespace sonde::workloads
