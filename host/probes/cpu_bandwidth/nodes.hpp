#pragma once

#include <span>
#include <vector>

#include "cpu/topology.hpp"
#include "probes/probe.hpp"

// What the cores of one NUMA node read from the memory of another: functions of the machine's topology alone.
namespace sonde::probes {

/// The bandwidth matrix of nodes: all cores of each node read memory of each. Then all nodes at once: `hops` 0 has
/// every node's cores read its own memory, `hops` 1 that of the next node. One point, which says why, where there is
/// one node; none where --sizes leaves out what stands for memory.
std::vector<Point> node_bandwidth_points(const cpu::Topology& machine, const Request& request);

/// Who reads at one of these points, and for each the node whose memory it reads. Throws device::Unsupported where there
/// is one node.
struct NodeReaders {
  std::vector<const cpu::Core*> cores;
  std::vector<int> memory_nodes;
};
NodeReaders node_readers(const cpu::Topology& machine, const Point& point);

/// What nodes get from their own memory and from others', each alone and all at once.
std::vector<Finding> node_bandwidths(std::span<const Measurement> measurements);

}  // namespace sonde::probes
