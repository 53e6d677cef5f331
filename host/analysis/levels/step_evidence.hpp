#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "analysis/levels/hierarchy_fit.hpp"

// Which steps of a fit lie between levels that the curve shows, and which are climbs that the fit needs.
namespace sonde::analysis {

/// A step so large is one between levels, whether or not the curve is flat on both sides of it, unless it is a climb.
inline constexpr double large_step = 1.45;
/// A smaller one may be where the curve is flat on both sides.
inline constexpr double least_step_of_a_level = 1.12;

/// A cache that keeps what chance leaves it is left over so much of its size; on the way latencies scatter with the
/// pages that each working set got, and some look like a level between. One so near, with small steps, has to be flat.
inline constexpr double octaves_of_a_climb = 2;

/// A fit costs no more than so much for each point where the formulas explain the whole curve.
inline constexpr double explained_cost = 0.6;

/// Whether every cache is one that may be.
bool plausible(const FittedHierarchy& hierarchy, const FitCurves& curves);

/// Whether every cache ends in what was swept. Beyond it any size explains the points as well, and any latency after
/// it.
bool within_sweep(const FittedHierarchy& hierarchy, const FitCurves& curves);

/// Whether it is plausible, and each level beyond a large step was seen by itself.
bool believable(const FittedHierarchy& hierarchy, const FitCurves& curves);

/// The cost of a fit, more where it has a level that was not seen: a shape that climbs slowly can stand for a plateau
/// that the curve has, at a latency that it has not.
double score(const FittedHierarchy& hierarchy, const FitCurves& curves);

/// Latencies in ns of the stretches over which the points that `counts` names hardly rise, by size.
std::vector<double> flat_latencies_of(const std::vector<FitPoint>& points, double most_rise_log_ns,
                                      const std::function<bool(const FitPoint&)>& counts);

/// The same of the measured cycle where one level serves nearly all.
std::vector<double> flat_latencies(const FittedHierarchy& hierarchy, const FitCurves& curves, std::size_t level);

/// Whether what lies beyond a cache is a level of its own: the step is large and steep, or the curve is flat on both
/// sides of it.
bool is_level(const FittedHierarchy& hierarchy, const FitCurves& curves, std::size_t cache);

/// Whether only memory comes beyond a cache.
bool is_last(const FittedHierarchy& hierarchy, const FitCurves& curves, std::size_t cache);

}  // namespace sonde::analysis
