#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/levels/hierarchy_refine.hpp"
#include "analysis/levels/levels.hpp"

namespace sonde::analysis {

/// The curves of one search with all that was fitted to them: what a level's latency and size are read from.
struct FittedCurves {
  const LatencyCurves& measured;
  LatencyCurves curves;       ///< without what address translation costs
  FitCurves measured_points;  ///< as they were measured: a contradiction may make the refined ones weigh less
  RefinedHierarchy refined;
  std::vector<FittedHierarchy> bootstrap = {};

  const FittedHierarchy& fitted() const { return refined.hierarchy; }
  const FitCurves& points() const { return refined.curves; }
};

/// The fit's levels `first` to `last`, which make up one level.
struct LevelRange {
  std::size_t first = 0;
  std::size_t last = 0;
  std::optional<std::size_t> flat;  ///< the one whose latency it has; none where all only climb
};

FitCurves fit_curves(const LatencyCurves& curves);

/// Fits to points drawn again with the scatter that they may have had as well (the wild bootstrap).
std::vector<FittedHierarchy> bootstrap(const FittedCurves& all, std::uint64_t seed);

}  // namespace sonde::analysis
