#pragma once

#include <map>
#include <optional>
#include <string>

#include "analysis/levels/levels.hpp"
#include "measure/probe.hpp"

namespace sonde::measure {

/// Adds what a curve of latencies shows: its levels, counted from 1, and a finding for each edge of address
/// translation.
void add_levels(const analysis::Hierarchy& hierarchy, const std::map<std::string, std::string>& series,
                measure::Conclusion& conclusion);

/// Why levels read from these curves would not be the machine's: most of what was measured met SMT interference,
/// with a part of its caches. Empty where they would be.
std::optional<std::string> why_not_read(const analysis::LatencyCurves& curves);

}  // namespace sonde::measure
