#pragma once

#include <vector>

#include "analysis/levels/hierarchy_fit.hpp"

namespace sonde::analysis {

/// The caches of a search, fitted to all curves: the cycle shows what levels there are, but independent accesses
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
  double misfit = 1;
};
RefinedHierarchy refined(const FitCurves& all, const FittedHierarchy& start);

}  // namespace sonde::analysis
