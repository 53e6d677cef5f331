#include "analysis/prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace sonde::analysis {
namespace {

constexpr double least_share = 0.01;

/// Student's t: within so many on either side lie 95 of 100, by degrees of freedom from one on.
constexpr std::array t_95{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179};

}  // namespace

Estimate predicted(double value, std::span<const double> found) {
  if (found.size() < 2) {
    constexpr double endless = std::numeric_limits<double>::infinity();
    return {.low = -endless, .value = value, .high = endless};
  }
  const double count = static_cast<double>(found.size());
  const double mean = std::accumulate(found.begin(), found.end(), 0.0) / count;
  double squares = 0;
  for (const double one : found) squares += (one - mean) * (one - mean);
  const double deviation = std::sqrt(squares / (count - 1));
  const double half = t_95[std::min(found.size() - 2, t_95.size() - 1)] * deviation * std::sqrt(2 / count);
  return {.low = std::min(value, mean - half), .value = value, .high = std::max(value, mean + half)};
}

Estimate predicted_above_zero(double value, std::span<const double> found) {
  std::vector<double> logarithms;
  for (const double one : found) logarithms.push_back(std::log(one));
  const Estimate of_logarithm = predicted(std::log(value), logarithms);
  return {.low = std::min(std::exp(of_logarithm.low), value * (1 - least_share)),
          .value = value,
          .high = std::max(std::exp(of_logarithm.high), value * (1 + least_share))};
}

Answer answer(const Estimate& margin) {
  if (margin.low > 0) return Answer::yes;
  return margin.high <= 0 ? Answer::no : Answer::open;
}

}  // namespace sonde::analysis
