#pragma once

#include <cstddef>
#include <optional>

#include "analysis/levels/hierarchy_fit.hpp"
#include "analysis/levels/levels.hpp"

// Where the measured cycle curve leaves one level for the next, beside what the fit says of it.
namespace sonde::analysis {

/// Sizes in bytes of the two points between which a curve crosses a latency.
struct Crossing {
  double below = 0;
  double above = 0;
};

/// Where the curve has done `share` of the step after `level`; only sizes within this transition are looked at.
Crossing crossing(const LatencyCurves& curves, const FittedHierarchy& fitted, std::size_t level, double share);

/// The share of the step beyond a cache that is sure to show among what its points scatter by: `crossing` asks for
/// three standard deviations, and a point that has as much lies below by two of them now and then.
double share_that_shows(const LatencyCurves& curves, const FittedHierarchy& fitted, std::size_t cache, double share);

/// The size at which the cycle begins the larger part of its step, where it does that at once. What it missed before
/// are lines of those sets in which something else is kept, as a driver's own data are.
std::optional<double> sharp_end(const LatencyCurves& curves, const FittedHierarchy& fitted, std::size_t level);

/// The last size before the curve turns up for good: from the middle of the step down for as long as it is steep. A
/// slow climb before an edge, or a disturbed point, is not the edge.
Crossing turn_up(const LatencyCurves& curves, const FittedHierarchy& fitted, std::size_t level, const Crossing& middle);

}  // namespace sonde::analysis
