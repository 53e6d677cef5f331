#pragma once

#include <map>
#include <string>

#include "analysis/levels.hpp"
#include "measure/probe.hpp"

namespace sonde::probes {

/// Adds what a curve of latencies shows: its levels, counted from 1, and a finding for each edge of address
/// translation.
void add_levels(const analysis::Hierarchy& hierarchy, const std::map<std::string, std::string>& series,
                measure::Conclusion& conclusion);

}  // namespace sonde::probes
