#pragma once

#include "cpu/topology.hpp"
#include "probes/loaded_latency/cpu_plan.hpp"
#include "probes/probe.hpp"

namespace sonde::probes {

/// The walk of a point's working set on the machine's quiet core, beside the point's load. Its windows in ns, and in
/// cycles where the clock is known; beside them in GB/s what the load moved. Throws device::Unsupported where there is not
/// enough memory, or no such load.
Workload walk_beside_cpu_load(const cpu::Topology& machine, const Point& point, const Request& request);

}  // namespace sonde::probes
