#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/levels/levels.hpp"
#include "analysis/levels/likelihood.hpp"

// How sure a size is: the profile likelihood. At each size near a term's the coefficients are fitted anew, and the
// shape that explains most is taken; sizes whose deviance is less than 3.84 above the least hold the true one with 95 %
// probability (Wilks, Annals of Mathematical Statistics 9, 1938). Where the model explains the points worse than their
// errors, as their mean deviance says, the bound grows with it (McCullagh and Nelder 1989, chapter 9). The cycle and
// the independent walk are profiled together and each alone: where they want different sizes the bracket holds all
// three. A cycle alone leaves the policy open, so its bracket begins where the curve leaves the plateau.
namespace sonde::analysis::curve {

/// A term's sizes and shapes that explain the points nearly as well as its own, seen with these weights; the likeliest
/// first. None where the term explains nothing.
std::vector<Term> as_likely(const Observations& points, const Fitted& fitted, std::size_t term,
                            const Eigen::VectorXd& weights, bool by_independent, const Constants& constants);

struct SizeProfile {
  Bracket bytes;  ///< the sizes that explain the curves nearly as well as this term's own does
  std::optional<SizeByOrder> disagreement;
};

SizeProfile size_profile(const Observations& points, const Fitted& fitted, std::size_t term,
                         const Constants& constants);

}  // namespace sonde::analysis::curve
