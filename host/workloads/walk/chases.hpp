#pragma once

#include "device/device.hpp"
#include "measure/probe.hpp"
#include "workloads/stream/background_stream.hpp"
#include "workloads/walk/line_layout.hpp"
#include "workloads/stream/memory_kinds.hpp"
#include "workloads/walk/path.hpp"

// The walks of the latency probe. Each continues where its last dispatch ended and proves every dispatch's end.
namespace sonde::workloads {

/// Through a random single cycle over `count` slots. Throws Unsupported where the device lacks the path.
measure::Workload cycle_chase(device::Device& device, std::uint32_t count, const LineLayout& layout, std::uint64_t seed,
                              Path path = Path::vector, const Placement& placement = {});

/// The same by the vector path, beside a light stream. Throws Unsupported where the two do not run at the same time.
measure::Workload cycle_chase_awake(device::Device& device, std::uint32_t count, const LineLayout& layout,
                                    std::uint64_t seed);

/// The same beside a load: takes its repetitions itself, and says in `gpu_gbps` what the load moved meanwhile.
/// Throws Unsupported where the two do not run at the same time.
measure::Workload chase_under_load(device::Device& device, std::uint32_t count, const LineLayout& layout,
                                   std::uint64_t seed, const BackgroundLoad& load);

/// Over uniformly random lines, each dependent on the one before; `count` lines side by side.
measure::Workload independent_chase(device::Device& device, std::uint32_t count, std::uint32_t line_bytes,
                                    std::uint64_t seed, const Placement& placement = {});

}  // namespace sonde::workloads
