#pragma once

#include <span>
#include <vector>

#include "analysis/levels/likelihood.hpp"

// Levels from terms. A level lies between two edges (edges.hpp). Its latency is the median of the points that it serves
// alone, less what the model says that others add: those near its beginning, as translation lengthens its end, and for
// memory those at the curve's end. A small step within a level leaves the level its latency from before the step. Its
// size is the mean of its edge's parts on a logarithmic scale, weighted by their steps, moved to what independent lines
// hit where these show it. A cycle alone leaves the policy open: the size is then where the curve leaves the plateau by
// 5 % of the step, as a careful reader has it. Brackets come from profiles (brackets.hpp), are at least as wide as
// points scatter between allocations, and are wider still where something else used the core.
namespace sonde::analysis::curve {

/// The terms that explain a curve best, and the levels read from them.
struct LevelFit {
  std::vector<Level> levels;
  Fitted fitted;
};

/// `curves` are without the translation that walks with several strides have shown; `measured` is their cycle with it.
/// Needs three points of the cycle.
LevelFit fit_levels(const LatencyCurves& curves, std::span<const CurvePoint> measured, const Constants& constants = {});

/// The rises of a cycle, as find_edges has them. Needs three points.
std::vector<analysis::Edge> fit_edges(const LatencyCurves& cycle, const Constants& constants);

}  // namespace sonde::analysis::curve
