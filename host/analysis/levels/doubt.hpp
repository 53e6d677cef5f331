#pragma once

#include <functional>
#include <vector>

#include "analysis/levels/constants.hpp"
#include "analysis/levels/levels.hpp"

// Where another size would tell most. The sizes and shapes of a cache that explain the curve nearly as well as the
// likeliest (brackets.hpp) are what is not known of it. Between two measured sizes they foresee latencies that lie so
// far apart; what this is in standard deviations of a point there is what a point would tell (as in Bayesian design of
// experiments, Chaloner and Verdinelli, Statistical Science 10, 1995, with the range in place of the variance).
namespace sonde::analysis::curve {

/// As doubtful_gaps.
std::vector<Gap> read_doubt(const LatencyCurves& curves, const std::function<bool(const Gap&)>& may_be_cut,
                            const Constants& constants);

}  // namespace sonde::analysis::curve
