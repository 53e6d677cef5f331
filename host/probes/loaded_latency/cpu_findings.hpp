#pragma once

#include <span>

#include "cpu/topology.hpp"
#include "probes/probe.hpp"

namespace sonde::probes {

/// Of each curve the latency alone, beside all cores that load, and beside one of them; and why no load was made in
/// other places.
Conclusion cpu_load_conclusion(const cpu::Topology& machine, const Request& request,
                               std::span<const Measurement> measurements);

}  // namespace sonde::probes
