#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "cpu/topology.hpp"
#include "measure/probe.hpp"

// From the cores of one NUMA node to the memory of another: which there are, and what is concluded of them. A processor
// that is cut into nodes of its own (sub-NUMA clusters, NPS) is several nodes here as it is to the system.
namespace sonde::workloads {

/// Nodes by the system's numbers.
struct NodePair {
  int from = 0;  ///< whose cores
  int to = 0;    ///< whose memory

  [[nodiscard]] std::string placement() const { return from == to ? "same-node" : "other-node"; }
};

/// Every node that has a core with every node that has memory, in the system's order; none where there is one node.
std::vector<NodePair> node_pairs(const cpu::Topology& machine);

/// The nodes that have a core and memory.
std::vector<int> whole_nodes(const cpu::Topology& machine);

/// Whether a series is of nodes, and no curve over the working set.
bool is_of_nodes(const std::map<std::string, std::string>& series);
NodePair node_pair_of(const measure::Point& point);

/// One that says why a machine with one node has no matrix; its workload throws device::Unsupported of `why_one_node`.
measure::Point point_of_one_node(std::map<std::string, std::string> series, const cpu::Topology& machine);
std::string why_one_node();

/// Why from and to say nothing where the system puts threads wherever it likes.
std::string why_not_unpinned(int node);

/// The working set that stands for memory to the cores of a node: four times their furthest caches, at least 64 MiB;
/// 256 MiB where the system states no caches.
double node_memory_bytes(const cpu::Topology& machine, int node);

/// Of the measurements that are of nodes and in `unit` a finding for each placement: the median over its pairs. `what`
/// is what was done, as in "a dependent load took".
std::vector<measure::Finding> node_findings(std::span<const measure::Measurement> measurements, const char* name,
                                            const char* unit, const std::string& what);

}  // namespace sonde::workloads
