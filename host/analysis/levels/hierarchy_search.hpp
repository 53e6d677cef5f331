#pragma once

#include <optional>
#include <vector>

#include "analysis/levels/hierarchy_fit.hpp"
#include "analysis/levels/levels.hpp"

namespace sonde::analysis {

/// Sizes that are closer than this are one: edges of real curves wander.
inline constexpr double least_size_ratio = 2.1;

/// A cache of no more lines is indexed within a page: its edge is its own, wherever its pages lie.
inline constexpr double lines_within_a_page = 2048;

/// A step so large is one between levels, whether or not the curve is flat on both sides of it, unless it is a climb.
inline constexpr double large_step = 1.45;

/// The hierarchy with the fewest levels that explains the curves: caches are added while each lowers the cost by more
/// than chance and overfitting would (Schwarz's criterion), then the shapes are chosen cache by cache. Small steps may
/// be no levels but climbs that the fit needs: `is_level` tells.
FittedHierarchy search_hierarchy(const FitCurves& curves);

/// What further parameters must lower the cost by, in units of log(points) for each. Schwarz's criterion has 1;
/// residuals that formulas leave are not independent, so more is asked.
inline constexpr double evidence_factor = 2.5;

/// Whether every cache is one that may be, and each level beyond a large step was seen by itself.
bool believable(const FittedHierarchy& hierarchy, const FitCurves& curves);

/// The cost of a fit, more where it has a level that was not seen: a shape that climbs slowly can stand for a plateau
/// that the curve has, at a latency that it has not.
double score(const FittedHierarchy& hierarchy, const FitCurves& curves);

/// The same caches but one, not fitted again.
FittedHierarchy without_cache(const FittedHierarchy& hierarchy, std::size_t cache);

/// Tries every allowed shape for one cache after the other, as long as that helps. Where `scattered`, lines are placed
/// by chance: only hashed shapes are allowed.
void choose_shapes(const FitCurves& curves, FittedHierarchy& hierarchy, const std::vector<bool>& scattered = {});

/// Hashed, least recently used, 16 ways.
const CacheShape& typical_hashed_shape();

/// Latencies in ns of the measured cycle's flat stretches where one level serves nearly all, by size.
std::vector<double> flat_latencies(const FittedHierarchy& hierarchy, const FitCurves& curves, std::size_t level);

/// Whether what lies beyond a cache is a level of its own: the step is large and steep, or the curve is flat on both
/// sides of it.
bool is_level(const FittedHierarchy& hierarchy, const FitCurves& curves, std::size_t cache);

/// The hierarchy with one cache for two that are so near to each other, and nothing flat between, that one of them,
/// which is no level, can only be part of the other's edge. Nothing where there are none; a cache that is indexed
/// within a page has no such edge, and what comes beyond it is a climb.
std::optional<FittedHierarchy> with_one_edge_for_two(const FittedHierarchy& hierarchy, const FitCurves& curves);

/// Whether only memory comes beyond a cache.
bool is_last(const FittedHierarchy& hierarchy, const FitCurves& curves, std::size_t cache);

/// By how much a fit may cost more than `best` and still be the truth: of what is just tolerated e^-3 as likely.
/// Residuals that the formulas leave make every difference of cost larger than chance would.
double tolerated_cost(const FittedHierarchy& best, const FitCurves& curves);

/// A cache's size in bytes over all fits that are tolerated beside `best`, each with a say by its likelihood, and their
/// range.
Bracket size_over(const std::vector<FittedHierarchy>& fits, const FittedHierarchy& best, std::size_t cache,
                  double tolerated);

/// `best` and the best fits for every other allowed shape of one cache whose cost is no more than `tolerated`
/// above.
std::vector<FittedHierarchy> alternatives(const FitCurves& curves, const FittedHierarchy& best, std::size_t cache,
                                          const std::vector<bool>& scattered, double tolerated);

}  // namespace sonde::analysis
