#pragma once

#include "analysis/levels/levels.hpp"

namespace sonde::analysis {

/// Widens sizes that may lie anywhere in a disturbed stretch of the curves, and notes what such stretches hide.
void reach_over_disturbed(Hierarchy& hierarchy, const LatencyCurves& curves, const curve::Constants& constants);

}  // namespace sonde::analysis
