#pragma once

#include <span>

#include "analysis/hierarchy_fit.hpp"
#include "analysis/levels.hpp"

namespace sonde::analysis {

/// Two levels whose latencies are closer than this, or whose sizes are, are one: edges of real curves wander.
inline constexpr double least_latency_ratio = 1.18;
inline constexpr double least_size_ratio = 3;

/// Medians with what the fit may miss them by: their own spread, the formulas' error, and the steepness of the curve,
/// where an error of size by `size_sigma_octaves` is one of latency.
std::vector<FitPoint> fit_points(std::span<const CurvePoint> curve, double line_bytes, double size_sigma_octaves);

/// For the cycle, whose edge depends on the policy, and for independent accesses, whose hits do not.
inline constexpr double size_sigma_of_cycle = 0.04;
inline constexpr double size_sigma_of_independent = 0.01;

/// The hierarchy with the fewest levels that explains the curves: caches are added while each lowers the cost by more
/// than chance and overfitting would (Schwarz's criterion), then the shapes are chosen cache by cache.
FittedHierarchy search_hierarchy(const FitCurves& curves);

/// The best fit for every other shape of one cache that explains the curves nearly as well.
std::vector<FittedHierarchy> alternatives(const FitCurves& curves, const FittedHierarchy& best, std::size_t cache);

}  // namespace sonde::analysis
