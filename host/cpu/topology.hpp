#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::cpu {

/// One core that this process may use, by its first hardware thread.
struct Core {
  int cpu = 0;                     ///< the system's number of that thread
  int cluster = 0;                 ///< cores of one number share their furthest cache
  int node = 0;                    ///< NUMA node of its own memory
  int kind = 0;                    ///< index in `Topology::kinds`
  std::vector<int> siblings = {};  ///< its further hardware threads, which share all that the core has
};

/// What of this machine the process may use, in the system's order.
struct Topology {
  std::vector<Core> cores;
  std::vector<int> nodes;                  ///< NUMA nodes with memory, some of them perhaps without a core
  std::vector<std::string> kinds;          ///< "performance", "efficiency", …, fastest first; one where all are alike
  std::uint64_t furthest_cache_bytes = 0;  ///< of one cluster, as the system states it; 0 where it does not
  std::map<int, std::uint64_t> caches;     ///< bytes of the largest of each level that holds data, by level
  std::optional<double> quota;  ///< CPUs' worth of time that a control group leaves, where it limits this process
};

/// This machine, cut down to the CPUs that a container or the user's mask leaves.
/// Throws device::Unsupported where the system tells nothing.
Topology look();

/// The same, looked at once.
const Topology& machine();

/// All caches of the furthest kind that this process may use, together; 0 where the system does not state it.
std::uint64_t furthest_caches_bytes(const Topology& topology);

/// A machine from a recording: hwloc's XML.
Topology read(std::string_view xml);

/// The cores that a NUMA node has of its own, in the system's order.
std::vector<const Core*> cores_of_node(const Topology& topology, int node);

/// The core of a kind on which to measure: the last, as the first ones serve most interrupts.
const Core& quiet_core(const Topology& topology, int kind);

/// Cores but `taken`, those of its cluster first.
std::vector<Core> beside(const Topology& topology, const Core& taken);

}  // namespace sonde::cpu
