#pragma once

#include <cstdint>

#include "device/device.hpp"
#include "probes/copy/route.hpp"
#include "probes/probe.hpp"

namespace sonde::probes {

/// Copies of `bytes`, a whole number of pages, one after the other on each of so many queues; in GB/s, and
/// where both directions move at once each of them too. Contents are proved after every repetition.
Workload copies_by_engine(device::Device& device, const CopyRoute& route, std::uint64_t bytes, std::uint32_t queues,
                          const Request& request);

/// The same by a kernel that loads from one side and stores to the other, a dispatch a copy, in the point's
/// shape or the one that is found at its size.
Workload copies_by_kernel(device::Device& device, const CopyRoute& route, std::uint64_t bytes, const Point& point,
                          const Request& request);

/// The same by the CPU, through a mapping of the device's memory that is made anew for every copy; by the host's clock.
Workload copies_by_mapping(device::Device& device, const CopyRoute& route, std::uint64_t bytes, const Request& request);

/// Copies beside a kernel that keeps all compute units busy and lasts longer. Values are the copies' GB/s beside it; a
/// further reading, `ratio`, is the share of the copies' time that cost neither of them anything.
Workload copies_beside_kernel(device::Device& device, const CopyRoute& route, std::uint64_t bytes, const Request& request);

}  // namespace sonde::probes
