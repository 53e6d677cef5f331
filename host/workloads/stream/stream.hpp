#pragma once

#include "device/device.hpp"
#include "measure/probe.hpp"
#include "workloads/stream/memory_kinds.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::workloads {

/// Moves a working set of `bytes`, all arrays together, again and again. A step is one trip, in which every group moves
/// one block of each array. Every dispatch is proved by what was added up or by what stands in memory.
measure::Workload stream(device::Device& device, Pattern pattern, Sharing sharing, const StreamShape& shape,
                         std::uint64_t bytes, std::uint64_t seed, const MemoryPlace& place = {},
                         measure::Path path = measure::Path::buffer);

}  // namespace sonde::workloads
