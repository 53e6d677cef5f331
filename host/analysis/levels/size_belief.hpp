#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "analysis/levels/terms.hpp"

namespace sonde::analysis::curve {

/// A number in octaves as it is believed: values with their probabilities, sorted by value.
class Belief {
 public:
  struct Part {
    double value = 0;
    double probability = 0;
  };

  Belief() = default;
  explicit Belief(std::vector<Part> parts);

  [[nodiscard]] bool empty() const { return parts_.empty(); }
  [[nodiscard]] double quantile(double share) const;
  /// The median between the 2.5 % and the 97.5 % quantile.
  [[nodiscard]] Bracket bracket() const { return {quantile(0.025), quantile(0.5), quantile(0.975)}; }
  /// The means of two groups of values that are likely, where hardly any between them is.
  [[nodiscard]] std::optional<std::pair<double, double>> humps() const;

 private:
  std::vector<Part> parts_;
};

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
