#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/levels/constants.hpp"
#include "analysis/levels/levels.hpp"
#include "analysis/levels/likelihood.hpp"

// Levels from terms. Between two edges (selection.hpp) lies a level. Its latency is the median of the points that it
// serves alone, without what the model says that others add; near its beginning, as translation lengthens its end, and
// memory's at the curve's end. A small step within a level leaves it the latency from before. Its size is the geometric
// mean of its edge's parts, weighted by their steps: where independent lines tell it, moved to what they hit. A cycle
// alone leaves the policy open: then it is where the curve leaves the plateau by 5 % of the step, as a careful reader
// has it. Brackets are of profiles (brackets.hpp), as far as points scatter between allocations (other_runs.hpp), and
// further where something else used the core.
namespace sonde::analysis::curve {

struct Reading {
  std::vector<Level> levels;
  Fitted fitted;
};

/// `curves` without the translation that walks with several strides have told, `measured` its cycle with it. Needs
/// three points of the cycle.
Reading read_curve(const LatencyCurves& curves, std::span<const CurvePoint> measured, const Constants& constants = {});

/// As find_levels.
Hierarchy read_levels(const LatencyCurves& curves, const Constants& constants = {});

/// The cycle alone, without points that no latency can be read from; and of how many points something can be read.
LatencyCurves cycle_of(const LatencyCurves& curves);
inline constexpr std::size_t fewest_points = 3;

/// As find_edges, from the cycle alone.
std::vector<analysis::Edge> read_edges(const LatencyCurves& curves, const Constants& constants);

}  // namespace sonde::analysis::curve
