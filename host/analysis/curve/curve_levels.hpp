#pragma once

#include <span>
#include <vector>

#include "analysis/curve/constants.hpp"
#include "analysis/curve/likelihood.hpp"
#include "analysis/levels/levels.hpp"

// Levels from terms. Caches in order of size. Two that are closer than a factor of about two, or between which no two
// points are served mostly by the one level, are one edge: chance in sets and pages spreads an edge more than a formula
// does. A level is an edge whose step is large enough, of which enough was seen, and which a walk over pages or its
// height tells from translation. Its latency is what all before it add up to, with what translation adds where its
// plateau begins. Its size is what uniformly random lines hit of all its parts together: the mean of their sizes by
// their steps; where there are no independent lines, that of the first part.
namespace sonde::analysis::curve {

struct Reading {
  std::vector<Level> levels;
  Fitted fitted;
};

/// `curves` without the translation that walks with several strides have told, `measured` its cycle with it. Needs
/// three points of the cycle.
Reading read_curve(const LatencyCurves& curves, std::span<const CurvePoint> measured, const Constants& constants = {});

/// As find_levels, by the model; empty for less than three points of the cycle.
Hierarchy levels_of_model(const LatencyCurves& curves, const Constants& constants = {});

}  // namespace sonde::analysis::curve
