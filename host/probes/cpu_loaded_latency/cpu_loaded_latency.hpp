#pragma once

#include "cpu/topology.hpp"
#include "probes/probe.hpp"
#include "workloads/walk/beside_load.hpp"

// The CPU's own latency beside loads of its cores. `placement` says where the cores are that load, as the walking core
// sees them; `pattern` and `stores` what they do. The plan is a function of the machine's topology and of what was
// measured so far.
namespace sonde::probes {
namespace cpu_loaded_latency_probe {

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

inline constexpr std::array curves{&walk, &load};

inline constexpr FindingKind one_core_load_latency{
    .name = "one-core-load-latency",
    .heading = "Latency beside one loading core",
    .meaning =
        "The time of a load of the CPU beside one core that loads as fast as it can, where more do under full "
        "load; details have `p90_ns`, `p99_ns` and `load_gbps`.",
    .unit = units::core_ns,
    .feature = "latency beside one loading core"};

inline constexpr std::array finding_kinds{&workloads::idle_latency, &workloads::full_load_latency,
                                          &one_core_load_latency};

}  // namespace cpu_loaded_latency_probe

/// The places where a load is made, as the walk's core sees them.
inline constexpr std::array loading_placements{Placement::same_cluster, Placement::other_cluster,
                                               Placement::other_node};

/// The part of the hierarchy that a working set stands for.
enum class Within { own_cache, shared_cache, memory };

/// A working set that is walked.
struct WalkedSet {
  Within within = Within::memory;
  double bytes = 0;
  double thread_bytes = 0;  ///< of each loading thread in a cache; in memory `load_bytes_of` says
  int most_threads = 0;     ///< that fit the cache with the walk; no bound in memory
};
/// The sets, nearest first. Caches whose size the system does not state have none.
std::vector<WalkedSet> walked_sets(const cpu::Topology& machine, const Request& request);

/// Cores that may load, in the order in which they do: those of one cluster in the system's order, those of several in
/// turn.
std::vector<const cpu::Core*> loading_cores(const cpu::Topology& machine, Placement placement);
/// Why no core can load there; empty where one can.
std::string why_no_load(const cpu::Topology& machine, Placement placement);

/// Bytes of each thread of a load. In memory all threads of a cluster together are beyond what it shares, and each is
/// beyond what it has alone.
double load_bytes_of(const cpu::Topology& machine, const WalkedSet& set, Placement placement, int threads);

/// The points that are still wanted. `cpu_threads` is how many threads load, 0 for the walk alone; `delay` is trips of
/// an empty loop for each KiB.
std::vector<Point> cpu_load_points(const cpu::Topology& machine, const Request& request,
                                   std::span<const Measurement> known);

/// A latency that was measured beside a load.
struct CpuLoadPoint {
  int threads = 0;
  double delay = 0;
  double gbps = 0;  ///< that the load moved
  const Measurement* latency = nullptr;
};
/// One curve: a kind of load at a place, over one working set.
struct CpuLoadCurve {
  Words words;
  double bytes = 0;
  const Measurement* alone = nullptr;     ///< the walk; null where that failed
  std::vector<CpuLoadPoint> all_threads;  ///< of the most threads that load, the shortest delay first
  std::vector<CpuLoadPoint> undelayed;    ///< of all numbers of threads, the fewest first
};
/// All curves that are known, in the order in which they were first measured.
std::vector<CpuLoadCurve> cpu_load_curves(std::span<const Measurement> known);

/// Findings for each curve: the latency alone, beside all cores that load, and beside one of them; and why no load was
/// made in other places.
Conclusion cpu_load_conclusion(const cpu::Topology& machine, const Request& request,
                               std::span<const Measurement> measurements);

}  // namespace sonde::probes
