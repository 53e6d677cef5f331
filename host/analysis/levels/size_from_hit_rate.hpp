#pragma once

#include <cstddef>
#include <optional>

#include "analysis/levels/hierarchy_fit.hpp"
#include "analysis/levels/levels.hpp"

namespace sonde::analysis {

/// Size in bytes of a fit's cache as the independent accesses alone tell it, where the fit or `said_bytes`, which would
/// be said of it otherwise, is another, or the fit's shape is not theirs: they hit what a cache holds, whatever its
/// policy, whatever is fetched ahead of a cycle, and wherever chance has put its pages. Only those within two doublings
/// of the size count: what is missed there takes much the same, while further out it climbs with translation and goes
/// past the next cache. Of the level before, the cycle says what a hit takes. Where its points scatter, as pages lie by
/// chance, or both kinds of access contradict each other, all is in doubt, and the hits are taken whatever is said.
/// Nothing where all agree, where the level before is not seen alone or the next cache is too near, and where lines or
/// independent points are few.
std::optional<Bracket> size_from_hit_rate(const FitCurves& curves, const FittedHierarchy& fitted, std::size_t cache,
                                          double said_bytes, bool in_doubt);

}  // namespace sonde::analysis
