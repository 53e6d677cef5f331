#pragma once

#include "analysis/levels/levels.hpp"

namespace sonde::analysis {

/// Widens sizes that may lie anywhere in a disturbed stretch of the curves, and notes what such stretches hide.
/// `least_step` is the ratio of two latencies that shows a level between them.
void reach_over_disturbed(Hierarchy& hierarchy, const LatencyCurves& curves, double least_step);

}  // namespace sonde::analysis
