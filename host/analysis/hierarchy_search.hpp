#pragma once

#include <span>

#include "analysis/hierarchy_fit.hpp"
#include "analysis/levels.hpp"

namespace sonde::analysis {

/// Sizes that are closer than this are one: edges of real curves wander.
inline constexpr double least_size_ratio = 2.1;

/// What the formulas miss a point by, beside its own spread: of its latency, and of its size, which is an error of
/// latency where the curve is steep.
struct FormulaErrors {
  double log_ns;
  double octaves;
  double octaves_of_one_line;  ///< falls with the root of the lines: few fall into sets more unevenly than many
  double settling;             ///< what is still to come of a fall, over what the last laps fell by
};
/// For the cycle, whose edge depends on the policy, and for independent accesses, whose hits do not, and which forget what
/// the caches held before in a lap or two.
inline constexpr FormulaErrors errors_of_cycle{.log_ns = 0.008, .octaves = 0.04, .octaves_of_one_line = 0.7, .settling = 1.5};
inline constexpr FormulaErrors errors_of_independent{.log_ns = 0.008, .octaves = 0.01, .octaves_of_one_line = 0.7, .settling = 0.5};

/// Medians with what the fit may miss them by.
std::vector<FitPoint> fit_points(std::span<const CurvePoint> curve, double line_bytes, const FormulaErrors& errors);

/// The hierarchy with the fewest levels that explains the curves: caches are added while each lowers the cost by more
/// than chance and overfitting would (Schwarz's criterion), then the shapes are chosen cache by cache. Small steps may
/// be no levels but climbs that the fit needs: `is_level` tells.
FittedHierarchy search_hierarchy(const FitCurves& curves);

/// The caches of a search, fitted to all curves: what levels there are is told by the cycle, but independent accesses
/// tell policy from capacity.
struct RefinedHierarchy {
  FittedHierarchy hierarchy;
  FittedHierarchy by_cycle;  ///< fitted to the cycle alone
  FitCurves curves;          ///< the points with what the fits have shown of their scatter
  /// Of each cache: whether the points of its transition scatter beyond what they knew. Then its lines are placed by
  /// chance, and it is fitted as a hashed cache.
  std::vector<bool> scattered;
  /// How much more the second kind of access adds to the cost than its points allow for: above 1 both contradict each
  /// other, the formulas describe neither, and the truth may lie anywhere between.
  double strain = 1;
  /// By how much a shape may fit worse than the best and still be the cache's.
  [[nodiscard]] double tolerated_cost() const;
};
RefinedHierarchy refined(const FitCurves& all, const FittedHierarchy& start);

/// Latencies in ns of the measured cycle's flat stretches where one level serves nearly all, by size.
std::vector<double> flat_stretches(const FittedHierarchy& hierarchy, const FitCurves& curves, std::size_t level);

/// Whether what lies beyond a cache is a level of its own: the step is large, or the curve is flat on both sides of it.
bool is_level(const FittedHierarchy& hierarchy, const FitCurves& curves, std::size_t cache);

/// `best` and the best fits for every other allowed shape of one cache whose cost is no more than `tolerated_cost` above.
std::vector<FittedHierarchy> alternatives(const FitCurves& curves, const FittedHierarchy& best, std::size_t cache,
                                          const std::vector<bool>& scattered, double tolerated_cost);

}  // namespace sonde::analysis
