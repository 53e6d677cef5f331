#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/levels/levels.hpp"

namespace sonde::analysis {

/// What one level delivers, the nearest first. The last has neither size nor transition: it is memory.
struct BandwidthLevel {
  std::optional<Bracket> bytes;
  double onset_bytes = 0;  ///< as in `Level`
  double end_bytes = 0;
  Bracket gbps;
};

/// Reads the levels from a bandwidth curve sorted by bytes, whose values are GB/s. Empty where there is no edge, and
/// where the curve rises again in a way that no hierarchy has: a level that is not there is worse than one missed.
std::vector<BandwidthLevel> find_bandwidth_levels(std::span<const CurvePoint> swept, double line_bytes);

/// The same curve as times, which rise with the working set: what it takes to move a line, in ns.
std::vector<CurvePoint> time_curve(std::span<const CurvePoint> curve, double line_bytes);

}  // namespace sonde::analysis
