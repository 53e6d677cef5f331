#pragma once

#include "analysis/levels/fitted_curves.hpp"

namespace sonde::analysis {

/// What a load takes where the range's flat level serves it; where all of them climb, what most of their points have.
Bracket level_latency(const FittedCurves& all, const LevelRange& range);

}  // namespace sonde::analysis
