#pragma once

#include "probes/probe.hpp"
#include "workloads/walk/beside_load.hpp"

namespace sonde::probes {
namespace loaded_latency_probe {

/// A walk beside a load where the point has a delay, alone where it has none.
Workload prepare_walk(device::Device& device, const Point& point, const Request& request);

inline constexpr Table beside_each_load{.title = "Latency of a load beside what the rest of the device moves",
                                        .rows = "bytes, gpu_gbps",
                                        .columns = "title"};

inline constexpr Curve walk{.name = "walk",
                            .words = {.memory = "device", .path = Path::vector},
                            .title = "Latency of a dependent load beside a load",
                            .unit = units::core_ns,
                            .axis = axes::gpu_gbps,
                            .table = &beside_each_load,
                            .prepare = prepare_walk};
/// Seen beside each walk that has a load.
inline constexpr Curve load{.name = "load",
                            .words = {.memory = "device", .path = Path::vector},
                            .title = "Bandwidth of the load beside a walk",
                            .unit = units::gbps,
                            .axis = axes::gpu_gbps};

inline constexpr std::array curves{&walk, &load};
inline constexpr std::array finding_kinds{&workloads::idle_latency, &workloads::full_load_latency};

}  // namespace loaded_latency_probe

/// One working set in the last cache, where the walk alone shows one, and the largest, which stands for memory.
struct LoadedSets {
  std::optional<double> last_cache_bytes;
  double memory_bytes = 0;
};
LoadedSets loaded_sets(std::span<const Measurement> known);

/// Points beside a load that are still wanted.
std::vector<Point> loaded_points_wanted(const Request& request, std::span<const Measurement> known);

}  // namespace sonde::probes
