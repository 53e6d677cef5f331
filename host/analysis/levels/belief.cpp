#include "analysis/levels/belief.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sonde::analysis::curve {

Belief::Belief(std::vector<Part> parts) : parts_(std::move(parts)) {
  std::ranges::sort(parts_, {}, &Part::value);
  double sum = 0;
  for (const Part& part : parts_) sum += part.probability;
  for (Part& part : parts_) part.probability /= sum;
}

double Belief::quantile(double share) const {
  double below = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const double next = below + parts_[i].probability;
    if (next >= share) return parts_[i].value;
    below = next;
  }
  return parts_.back().value;
}

std::optional<std::pair<double, double>> Belief::humps() const {
  constexpr double least_probability = 0.15;
  // Their distance in units of their deviations (Ashman, Astronomical Journal 108, 1994); halves of an even spread of
  // values lie 3.5 apart.
  constexpr double least_distance = 5;
  constexpr double least_octaves = 0.15;
  double whole = 0;
  double whole_squares = 0;
  for (const Part& part : parts_) {
    whole += part.probability * part.value;
    whole_squares += part.probability * part.value * part.value;
  }
  std::optional<std::pair<double, double>> found;
  double furthest = least_distance;
  double below = 0, sum = 0, squares = 0;
  for (const Part& part : parts_) {
    below += part.probability;
    sum += part.probability * part.value;
    squares += part.probability * part.value * part.value;
    const double above = 1 - below;
    if (below < least_probability || above < least_probability) continue;
    const double lower = sum / below;
    const double upper = (whole - sum) / above;
    const double variances = squares / below - lower * lower + (whole_squares - squares) / above - upper * upper;
    const double distance = std::numbers::sqrt2 * (upper - lower) / std::sqrt(std::max(variances, 1e-12));
    if (upper - lower < least_octaves || distance < furthest) continue;
    furthest = distance;
    found = {lower, upper};
  }
  return found;
}

}  // namespace sonde::analysis::curve
