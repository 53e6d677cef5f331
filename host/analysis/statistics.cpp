#include "analysis/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sonde::analysis {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double quantile_of_sorted(const std::vector<double>& values, double share) {
  const double position = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double fraction = position - static_cast<double>(below);
  return values[below] + fraction * (values[above] - values[below]);
}

/// Probability that fewer than `successes` of `trials` fair coins show heads.
double fewer_than(std::size_t successes, std::size_t trials) {
  double term = std::pow(0.5, static_cast<double>(trials));
  double sum = 0;
  for (std::size_t heads = 0; heads < successes; ++heads) {
    sum += term;
    term *= static_cast<double>(trials - heads) / static_cast<double>(heads + 1);
  }
  return sum;
}

}  // namespace

double quantile(std::span<const double> values, double share) { return quantile_of_sorted(sorted(values), share); }

Summary summarize(std::span<const double> values) {
  if (values.empty()) return {};
  const std::vector<double> ordered = sorted(values);
  return {.count = ordered.size(),
          .minimum = ordered.front(),
          .lower_quartile = quantile_of_sorted(ordered, 0.25),
          .median = quantile_of_sorted(ordered, 0.5),
          .upper_quartile = quantile_of_sorted(ordered, 0.75),
          .maximum = ordered.back()};
}

Interval median_interval(std::span<const double> values) {
  const std::vector<double> ordered = sorted(values);
  // The r-th smallest and r-th largest miss the median when fewer than r values lie on one side of it.
  std::size_t rank = 1;
  while (2 * (rank + 1) <= ordered.size() && 2 * fewer_than(rank + 1, ordered.size()) <= 0.05) ++rank;
  return {ordered[rank - 1], ordered[ordered.size() - rank]};
}

}  // namespace sonde::analysis
