#pragma once

#include "cpu/topology.hpp"
#include "measure/probe.hpp"

// Pairs of NUMA nodes, the cores of one and the memory of another: which there are, and what is concluded about them. A
// processor that its firmware cuts into nodes (sub-NUMA clusters, NPS) is several nodes here, as it is to the system.
namespace sonde::workloads {

/// Nodes by the system's numbers.
struct NodePair {
  int from = 0;  ///< whose cores
  int to = 0;    ///< whose memory

  [[nodiscard]] measure::Placement placement() const {
    return from == to ? measure::Placement::same_node : measure::Placement::other_node;
  }
};

/// Every node that has a core with every node that has memory, in the system's order; none where there is one node.
std::vector<NodePair> node_pairs(const cpu::Topology& machine);

/// The nodes that have a core and memory.
std::vector<int> whole_nodes(const cpu::Topology& machine);

/// Whether words name a curve between nodes, which is no curve over the working set.
inline bool is_of_nodes(const measure::Words& words) { return words.placement.has_value(); }
NodePair node_pair_of(const measure::Point& point);

/// A point that says why a machine with one node has no matrix: its workload throws device::Unsupported with
/// `why_one_node`.
measure::Point point_of_one_node(const measure::Curve& curve, measure::Words varied, const cpu::Topology& machine);
std::string why_one_node();

/// Why `from` and `to` say nothing where the system puts threads wherever it likes.
std::string why_not_unpinned(int node);

/// The working set that stands for memory to the cores of a node: four times their furthest caches, at least 64 MiB;
/// 256 MiB where the system states no caches.
double node_memory_bytes(const cpu::Topology& machine, int node);

/// A finding of `kind` for each placement, with the median over its pairs, from the measurements between nodes in
/// the kind's unit. `what` is what was done, as in "a dependent load took".
std::vector<measure::Finding> node_findings(std::span<const measure::Measurement> measurements,
                                            const measure::FindingKind& kind, std::string_view what);

}  // namespace sonde::workloads
