#pragma once

#include <optional>
#include <vector>

#include "analysis/levels/hierarchy_fit.hpp"

namespace sonde::analysis {

/// A cache of no more lines is indexed within a page: its edge is its own, wherever its pages lie.
inline constexpr double lines_within_a_page = 2048;

/// The hierarchy with the fewest levels that explains the curves: caches are added while each lowers the cost by more
/// than chance and overfitting would (Schwarz's criterion), then the shapes are chosen cache by cache. Small steps may
/// be no levels but climbs that the fit needs: `is_level` tells.
FittedHierarchy search_hierarchy(const FitCurves& curves);

/// What further parameters must lower the cost by, in units of log(points) for each. Schwarz's criterion has 1;
/// residuals that formulas leave are not independent, so more is asked.
inline constexpr double evidence_factor = 2.5;

/// The same caches but one, not fitted again.
FittedHierarchy without_cache(const FittedHierarchy& hierarchy, std::size_t cache);

/// The hierarchy with one cache for two that are so near to each other, and nothing flat between, that one of them,
/// which is no level, can only be part of the other's edge. Nothing where there are none; a cache that is indexed
/// within a page has no such edge, and what comes beyond it is a climb.
std::optional<FittedHierarchy> with_one_edge_for_two(const FittedHierarchy& hierarchy, const FitCurves& curves);

}  // namespace sonde::analysis
