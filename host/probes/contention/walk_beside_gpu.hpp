#pragma once

#include <cstdint>
#include <span>

#include "cpu/topology.hpp"
#include "device/device.hpp"
#include "probes/probe.hpp"

namespace sonde::probes {

/// The CPU's walk beyond its caches at the point's load: beside the GPU's addition of three arrays of `array_bytes`, or
/// of small ones in the control, and beside as many reading threads as the point says, on some of `readers`.
/// Throws device::Unsupported where cores are too few.
Workload walk_beside_gpu(device::Device& device, const Point& point, const Request& request, std::uint64_t array_bytes,
                         std::span<const cpu::Core> readers);

}  // namespace sonde::probes
