#pragma once

#include <cstdint>

#include "device/device.hpp"
#include "measure/probe.hpp"
#include "workloads/stream/memory_kinds.hpp"

// What the CPU gets of a buffer through its view of it: one thread, by the host's clock.
namespace sonde::workloads {

/// Walks a random single cycle over the buffer's lines.
measure::Workload cpu_chase(device::Device& device, const Placement& placement, std::uint64_t bytes,
                            std::uint32_t line_bytes, std::uint64_t seed);

enum class CpuPattern { read, write };

/// Reads or writes the buffer from its beginning to its end, again and again.
measure::Workload cpu_stream(device::Device& device, const Placement& placement, CpuPattern pattern, std::uint64_t bytes,
                             std::uint64_t seed);

}  // namespace sonde::workloads
