#pragma once

#include <cstdint>

#include "device/device.hpp"
#include "workloads/stream/stream_walk.hpp"

// What streams through the texture unit and from the memory of a work-group ask for beside what those from buffers do.
namespace sonde::workloads {

/// What one work-group may walk over in memory of its own: as much as kernels/stream_local.cl declares.
inline constexpr std::uint64_t local_part_bytes = 16384;

/// Throws Unsupported where the device lacks the path; whether an image can be so large make_buffer() says.
void check_path(const PatternFacts& facts, const device::DeviceInfo& device);

/// The same where the memory of a work-group cannot hold its part of the walk.
void check_part(const PatternFacts& facts, const StreamWalk& walk);

/// How arrays are reached that are not storage; else as storage is.
device::Use use_of_arrays(const PatternFacts& facts, device::Use storage);

/// Trips of the walk that one dispatch may make.
std::uint32_t most_trips_of(const PatternFacts& facts, const device::DeviceInfo& device);

/// The widest vector that a kernel of this path takes, in words.
std::uint32_t widest_vector_words(const PatternFacts& facts, const device::DeviceInfo& device);

}  // namespace sonde::workloads
