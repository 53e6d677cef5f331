#pragma once

#include "analysis/levels/fitted_curves.hpp"

namespace sonde::analysis {

/// Sets the size of the cache that serves a level, and where the curve leaves it; the level's latency is known.
void set_size(Level& level, const FittedCurves& all, const LevelRange& range);

}  // namespace sonde::analysis
