#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::cpu {

/// A core that this process may use, named by its first hardware thread.
struct Core {
  int cpu = 0;                     ///< the system's number of that thread
  int cluster = 0;                 ///< cores of one number share their furthest cache
  int node = 0;                    ///< NUMA node of its own memory
  int kind = 0;                    ///< index in `Topology::kinds`
  std::vector<int> siblings = {};  ///< its further hardware threads, which share all that the core has
};

/// The part of this machine that the process may use, in the system's order.
struct Topology {
  std::vector<Core> cores;
  std::vector<int> nodes;                  ///< NUMA nodes with memory, some of them perhaps without a core
  std::vector<std::string> kinds;          ///< "performance", "efficiency", …, fastest first; one where all are alike
  std::uint64_t furthest_cache_bytes = 0;  ///< of one cluster; 0 where the system does not state it
  std::map<int, std::uint64_t> caches;     ///< bytes of the largest data cache of each level, by level
  std::optional<double> quota;             ///< CPUs' worth of time, where a control group limits this process
};

/// This machine, cut down to the CPUs that a container or the user's mask leaves.
/// Throws device::Unsupported where the system tells nothing.
Topology detect_topology();

/// detect_topology(), called once.
const Topology& machine();

/// The reason for which two threads of this process cannot work at once, each on a core of its own or, where
/// `by_siblings`, on a hardware thread; empty where they can.
std::string why_not_at_once(const Topology& topology, bool by_siblings = false);

/// The sum of the furthest caches of all clusters that this process may use; 0 where the system does not state it.
std::uint64_t furthest_caches_bytes(const Topology& topology);

/// A recorded machine, from hwloc's XML.
Topology read(std::string_view xml);

/// The cores that a NUMA node has of its own, in the system's order.
std::vector<const Core*> cores_of_node(const Topology& topology, int node);

/// The core of a kind on which to measure: the last one, as the first cores serve most interrupts.
const Core& quiet_core(const Topology& topology, int kind);

/// All cores but `taken`, those of its cluster first.
std::vector<Core> other_cores(const Topology& topology, const Core& taken);

/// Places the pages of a range that has not been written yet on one NUMA node, by the system's number. A node without
/// free memory leaves them to another node, as a strict rule would have the system end the process. False where the
/// system refuses.
bool prefer_node(void* begin, std::uint64_t bytes, int node);

/// The nodes on which the pages of a range lie, asked page by page; none where the system does not tell.
std::set<int> nodes_of(const void* begin, std::uint64_t bytes);

}  // namespace sonde::cpu
