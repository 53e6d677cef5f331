#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "analysis/levels/levels.hpp"
#include "measure/probe.hpp"

namespace sonde::measure {

/// Adds what a curve of latencies shows: its levels, counted from 1, and a finding for each edge of address
/// translation.
void add_levels(const analysis::Hierarchy& hierarchy, const std::map<std::string, std::string>& series,
                measure::Conclusion& conclusion);

/// What the probe reads from its measurements, each level with its name and, where the clock is known, in cycles.
Conclusion conclude(const Probe& probe, const Request& request, std::span<const Measurement> measurements);

/// Names levels of any curves: "level 1", "memory"; "beyond" for a last one where its path ends before memory, its
/// curve is still changing, or was not swept beyond a cache that is stated.
void name_levels(std::span<FoundLevel> levels, std::uint64_t stated_cache_bytes = 0);

/// Why levels read from these curves would not be the machine's: most of what was measured met SMT interference,
/// with a part of its caches. Empty where they would be.
std::optional<std::string> why_not_read(const analysis::LatencyCurves& curves);

}  // namespace sonde::measure
