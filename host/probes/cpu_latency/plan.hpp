#pragma once

#include <span>
#include <vector>

#include "cpu/topology.hpp"
#include "probes/probe.hpp"

namespace sonde::probes {

/// How this machine's memory can be walked.
struct CpuVariants {
  std::vector<measure::CoreKind> kinds;
  bool huge_pages = true;
  bool further_core = true;  ///< for a light stream beside the walk
};

/// Points over the working set that are still wanted. What cannot be had here is asked for once, so that the record
/// says why.
std::vector<Point> cpu_latency_points(const CpuVariants& variants, const device::DeviceInfo& device,
                                      const Request& request, std::span<const Measurement> known);

/// The latency matrix of NUMA nodes: a core of each node that walks through memory of each, on huge pages where there
/// are. One point, which says why, where there is one node; none where --sizes leaves out what stands for memory.
std::vector<Point> node_latency_points(const cpu::Topology& machine, bool huge_pages, const Request& request);

/// The walk of one of these points. Throws device::Unsupported where there is one node, or where a thread or its memory
/// is not kept where the point has it.
Workload node_walk(const cpu::Topology& machine, const Point& point, const Request& request);

}  // namespace sonde::probes
