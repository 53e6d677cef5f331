#pragma once

#include <vector>

#include "analysis/levels/belief.hpp"
#include "analysis/levels/terms.hpp"

namespace sonde::analysis::curve {

/// What the curves say of a cache's size: the likelihood of each size, summed over all shapes that the cache may have
/// and over how far independent lines see it elsewhere, each with its prior.
struct SizeBelief {
  Belief size = {};
  Bracket bracket = {};           ///< of the size, with what points tell of others
  double moved = 0;               ///< octaves by which others move it between runs
  Belief by_cycle = {};           ///< where cycles see it
  Belief by_independent = {};     ///< where independent lines see it; empty without these
  std::vector<Term> likely = {};  ///< the terms that hold most of the probability, for a cycle
};

/// Of one of the fitted terms beside all others; empty where it explains nothing.
SizeBelief size_belief(const Observations& points, const Fitted& fitted, std::size_t term, const Constants& constants);

}  // namespace sonde::analysis::curve
