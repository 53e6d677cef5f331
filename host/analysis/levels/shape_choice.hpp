#pragma once

#include <cstddef>
#include <vector>

#include "analysis/levels/hierarchy_fit.hpp"
#include "analysis/levels/levels.hpp"

namespace sonde::analysis {

/// Tries every allowed shape for one cache after the other, as long as that helps. Where `scattered`, lines are placed
/// by chance: only hashed shapes are allowed.
void choose_shapes(const FitCurves& curves, FittedHierarchy& hierarchy, const std::vector<bool>& scattered = {});

/// Hashed, least recently used, 16 ways.
const CacheShape& typical_hashed_shape();

/// The best of the fits with another shape of one cache that may be believed; a cost without end where none may.
FittedHierarchy believable_by_another_shape(const FittedHierarchy& hierarchy, const FitCurves& curves);

/// By how much a fit may cost more than `best` and still be the truth: of what is just tolerated e^-3 as likely.
/// Residuals that the formulas leave make every difference of cost larger than chance would.
double tolerated_cost(const FittedHierarchy& best, const FitCurves& curves);

/// A cache's size in bytes over all fits that are tolerated beside `best`, each weighted by its likelihood, and their
/// range.
Bracket size_over(const std::vector<FittedHierarchy>& fits, const FittedHierarchy& best, std::size_t cache,
                  double tolerated);

/// `best` and the best fits for every other allowed shape of one cache whose cost is no more than `tolerated` above.
std::vector<FittedHierarchy> alternatives(const FitCurves& curves, const FittedHierarchy& best, std::size_t cache,
                                          const std::vector<bool>& scattered, double tolerated);

}  // namespace sonde::analysis
