#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "probes/host_memory/curves.hpp"
#include "workloads/stream/memory_kinds.hpp"

namespace sonde::probes {

inline bool is_simulated(const device::DeviceInfo& device) { return device.type == device::DeviceType::model; }

/// The plan: in every kind of memory first the walks, the streams whose shape is searched and the CPU's own work, then
/// the streams that take those shapes over. What a kind cannot do is asked for once, so that it is skipped with its
/// reason.
std::vector<Point> host_memory_points(const device::DeviceInfo& device, const Request& request,
                                      std::span<const Measurement> known);

/// How the kinds of memory compare with the first, and for which of them further visits may tell more.
struct KindsCompared {
  Conclusion conclusion;
  std::set<measure::Name> open;
};

KindsCompared compare_kinds(std::span<const Measurement> measurements);

/// One CPU thread walks a random single cycle over the lines of a buffer through its view of it, by the host's clock.
Workload cpu_chase(device::Device& device, const workloads::MemoryPlace& place, std::uint64_t bytes,
                   std::uint32_t line_bytes, std::uint64_t seed);

/// One CPU thread reads or writes the buffer from its beginning to its end, again and again, by the host's clock.
Workload cpu_stream(device::Device& device, const workloads::MemoryPlace& place, Pattern pattern, std::uint64_t bytes,
                    std::uint64_t seed);

}  // namespace sonde::probes
