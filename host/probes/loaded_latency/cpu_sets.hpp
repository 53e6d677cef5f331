#pragma once

#include <string>
#include <vector>

#include "cpu/topology.hpp"
#include "probes/probe.hpp"

// Which working sets of the CPU are walked, and which cores load beside the walk: functions of the machine's topology.
namespace sonde::probes {

/// Where the load is made, as the walk's core sees it.
enum class Placement { same_cluster, other_cluster, other_node };
inline constexpr int placements = 3;

/// What of the hierarchy a working set stands for.
enum class Within { own_cache, shared_cache, memory };

/// A working set that is walked.
struct WalkedSet {
  Within within = Within::memory;
  double bytes = 0;
  double thread_bytes = 0;  ///< of each loading thread in a cache; in memory `load_bytes_of` says
  int most_threads = 0;     ///< that fit the cache with the walk; no bound in memory
};
/// Nearest first. What the system does not state the size of is not there.
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

}  // namespace sonde::probes
