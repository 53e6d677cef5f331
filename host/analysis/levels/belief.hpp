#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "analysis/levels/levels.hpp"

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

}  // namespace sonde::analysis::curve
