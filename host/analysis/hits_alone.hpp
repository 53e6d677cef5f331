#pragma once

#include <cstddef>
#include <optional>

#include "analysis/hierarchy_fit.hpp"
#include "analysis/levels.hpp"

namespace sonde::analysis {

/// Size in bytes of a fit's cache as the independent accesses alone tell it, where the fit or `said_bytes`, which would
/// be said of it otherwise, is another, or the fit's shape is not theirs: they hit what a cache holds, whatever its
/// policy, whatever is fetched ahead of a cycle, and wherever chance has put its pages. The cycle says the levels'
/// latencies, and how the next one climbs, from where its edge is far away. Where its points scatter, pages lie by
/// chance, and the hits are asked whatever is said. Nothing where all agree, where a level beside it is not seen alone,
/// and where lines or independent points are few. Before memory the size is small by what rows and tables add to it
/// nearer than the walk shows that.
std::optional<Bracket> size_by_hits_alone(const FitCurves& curves, const FittedHierarchy& fitted, std::size_t cache,
                                          double said_bytes, bool scattered);

}  // namespace sonde::analysis
