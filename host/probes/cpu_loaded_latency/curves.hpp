#pragma once

#include <array>

#include "probes/probe.hpp"
#include "workloads/walk/beside_load.hpp"

// The curves of the CPU's own latency beside loads of its cores, and what is concluded from them. `placement` says
// where the cores are that load, as the walking core sees them; `pattern` and `stores` what they do.
namespace sonde::probes::cpu_loaded_latency_probe {

/// A walk beside loading cores, alone where the point has no threads.
Workload prepare_walk(device::Device& device, const Point& point, const Request& request);

inline constexpr Table beside_each_load{.title = "Latency of the CPU itself while other cores load",
                                        .rows = "placement, pattern, bytes, cpu_threads, delay",
                                        .columns = "title"};

inline constexpr Curve walk{.name = "cpu-walk",
                            .varies = "pattern, placement, stores",
                            .title = "Latency of a dependent load of the CPU while other cores load",
                            .unit = units::ns,
                            .axis = axes::cpu_threads,
                            .table = &beside_each_load,
                            .prepare = prepare_walk};
/// Seen beside each walk that has a load.
inline constexpr Curve load{.name = "cpu-load",
                            .varies = "pattern, placement, stores",
                            .title = "Bandwidth of the loading cores",
                            .unit = units::gbps,
                            .axis = axes::cpu_threads,
                            .table = &beside_each_load};

inline constexpr std::array<const Curve*, 2> curves{&walk, &load};

inline constexpr FindingKind one_core_load_latency{
    .name = "one-core-load-latency",
    .heading = "Latency beside one loading core",
    .meaning =
        "The time of a load of the CPU beside one core that loads as fast as it can, where more do under full "
        "load; details have `p90_ns`, `p99_ns` and `load_gbps`.",
    .better = Better::lower,
    .feature = "latency beside one loading core",
    .per_clock = 1};

inline constexpr std::array<const FindingKind*, 3> finding_kinds{&workloads::idle_latency,
                                                                 &workloads::full_load_latency, &one_core_load_latency};

}  // namespace sonde::probes::cpu_loaded_latency_probe
