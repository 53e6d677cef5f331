#pragma once

#include <span>
#include <vector>

#include "cpu/stream_kernels.hpp"
#include "cpu/topology.hpp"
#include "probes/probe.hpp"

// The plan says what is streamed, by whom and over how much, as functions of the machine's topology alone. The findings
// are concluded from what was measured.
namespace sonde::probes {

/// The arrays and bytes of a pattern's stream.
struct StreamFacts {
  Pattern pattern;
  cpu::Stream stream;
  int arrays;               ///< as many as are in the working set
  double bytes_an_element;  ///< that the program reads and writes
  double bus_bytes;         ///< the same, with what is read because a written line is fetched first
  [[nodiscard]] double ideal_gain() const { return bus_bytes / bytes_an_element; }
};
std::span<const StreamFacts> all_streams();
const StreamFacts& facts_of(Pattern pattern);

/// Cores in the order in which threads are put on them, the fastest kind first: one cluster, then the next, or in turn
/// over all nodes and over their clusters.
std::vector<const cpu::Core*> order_of(const cpu::Topology& machine, Pinning pinning);

/// The furthest caches of the clusters that the first threads are in, together; 0 where the system states none.
double furthest_caches_bytes(const cpu::Topology& machine, Pinning pinning, int threads);

/// Whether no more than a quarter of a point's working set fits the caches of those who stream it.
bool is_beyond_caches(const cpu::Topology& machine, const Point& point);

/// The streams over the working set, and in memory over threads.
std::vector<Point> cpu_bandwidth_points(const cpu::Topology& machine, const Request& request);

/// The bandwidth matrix of nodes: all cores of each node read memory of each. Then all nodes at once: `hops` 0 has
/// every node's cores read its own memory, `hops` 1 that of the next node. One point, which says why, where there is
/// one node; none where --sizes leaves out what stands for memory.
std::vector<Point> node_bandwidth_points(const cpu::Topology& machine, const Request& request);

/// Who reads at one of these points, and for each the node whose memory it reads. Throws device::Unsupported where
/// there is one node.
struct NodeReaders {
  std::vector<const cpu::Core*> cores;
  std::vector<int> memory_nodes;
};
NodeReaders node_readers(const cpu::Topology& machine, const Point& point);

/// How many threads it takes to get nearly all of what memory gives to any number, for each stream and pinning.
std::vector<Finding> saturation_findings(std::span<const Measurement> measurements);

/// The gain of stores past the caches in memory, for each stream that all threads made by both kinds of stores.
std::vector<Finding> non_temporal_findings(std::span<const Measurement> measurements);

/// The bandwidth of nodes from their own memory and from others', each alone and all at once.
std::vector<Finding> node_bandwidth_findings(std::span<const Measurement> measurements);

}  // namespace sonde::probes
