#pragma once

#include <span>

#include "analysis/hierarchy_fit.hpp"
#include "analysis/levels.hpp"

namespace sonde::analysis {

/// Sizes that are closer than this are one: edges of real curves wander.
inline constexpr double least_size_ratio = 2.2;

/// Medians with what the fit may miss them by: their own spread, the formulas' error, and the steepness of the curve,
/// where an error of size by `size_sigma_octaves` is one of latency.
std::vector<FitPoint> fit_points(std::span<const CurvePoint> curve, double line_bytes, double size_sigma_octaves);

/// For the cycle, whose edge depends on the policy, and for independent accesses, whose hits do not.
inline constexpr double size_sigma_of_cycle = 0.04;
inline constexpr double size_sigma_of_independent = 0.01;

/// The hierarchy with the fewest levels that explains the curves: caches are added while each lowers the cost by more
/// than chance and overfitting would (Schwarz's criterion), then the shapes are chosen cache by cache. Small steps may
/// be no levels but climbs that the fit needs: `is_level` tells.
FittedHierarchy search_hierarchy(const FitCurves& curves);

/// The same caches, their sizes and shapes fitted to all curves: independent accesses tell policy from capacity, but
/// what levels there are is told by the cycle.
FittedHierarchy refined(const FitCurves& curves, const FittedHierarchy& start);

/// Latencies in ns of the measured cycle's flat stretches where one level serves nearly all, by size.
std::vector<double> flat_stretches(const FittedHierarchy& hierarchy, const FitCurves& curves, std::size_t level);

/// Whether what lies beyond a cache is a level of its own: the step is large, or the curve is flat on both sides of it.
bool is_level(const FittedHierarchy& hierarchy, const FitCurves& curves, std::size_t cache);

/// The best fit for every other shape of one cache that explains the curves nearly as well.
std::vector<FittedHierarchy> alternatives(const FitCurves& curves, const FittedHierarchy& best, std::size_t cache);

}  // namespace sonde::analysis
