#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "cpu/topology.hpp"
#include "probes/probe.hpp"

// The plan says which working sets of the CPU are walked, and which cores load beside the walk: functions of the
// machine's topology and of what was measured so far.
namespace sonde::probes {

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
double load_bytes_of(const cpu::Topology& machine, const WalkedSet& set, Placement placement, int threads,
                     Effort effort);

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
