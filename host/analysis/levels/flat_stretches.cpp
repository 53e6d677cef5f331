#include "analysis/levels/flat_stretches.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "analysis/statistics.hpp"

namespace sonde::analysis {
namespace {

constexpr double tolerated = 1.25;

using Points = std::vector<std::pair<double, double>>;

FlatStretch stretch_of(std::span<const std::pair<double, double>> points) {
  std::vector<double> values;
  for (const auto& [bytes, value] : points) values.push_back(value);
  return {.first_bytes = points.front().first, .last_bytes = points.back().first, .value = quantile(values, 0.5)};
}

/// How many points from `first` on lie within what is tolerated.
std::size_t length_from(const Points& points, std::size_t first) {
  double least = points[first].second;
  double most = least;
  std::size_t end = first;
  for (; end < points.size(); ++end) {
    least = std::min(least, points[end].second);
    most = std::max(most, points[end].second);
    if (most > tolerated * least) break;
  }
  return end - first;
}

/// The longest first, then the longest on either side of it.
void add_longest(const Points& points, std::size_t begin, std::size_t end, std::vector<FlatStretch>& found) {
  std::size_t best = begin;
  std::size_t best_length = 0;
  for (std::size_t first = begin; first < end; ++first) {
    const std::size_t length = std::min(length_from(points, first), end - first);
    if (length > best_length) {
      best = first;
      best_length = length;
    }
  }
  if (best_length < 2) return;
  add_longest(points, begin, best, found);
  found.push_back(stretch_of(std::span(points).subspan(best, best_length)));
  add_longest(points, best + best_length, end, found);
}

}  // namespace

std::vector<FlatStretch> flat_stretches(const std::map<double, double>& value_by_bytes, Beyond beyond) {
  const Points points(value_by_bytes.begin(), value_by_bytes.end());
  std::vector<FlatStretch> all;
  add_longest(points, 0, points.size(), all);
  std::vector<FlatStretch> kept;
  for (const FlatStretch& one : all) {
    const auto nearer_is_worse = [&](const FlatStretch& nearer) {
      return beyond == Beyond::less ? nearer.value < one.value : nearer.value > one.value;
    };
    const auto as_good = [&](const FlatStretch& nearer) {
      return std::max(nearer.value, one.value) <= tolerated * std::min(nearer.value, one.value);
    };
    // Two parts of one stretch that a bad point cut in two.
    if (!kept.empty() && as_good(kept.back())) {
      kept.back().last_bytes = one.last_bytes;
      continue;
    }
    while (!kept.empty() && nearer_is_worse(kept.back())) kept.pop_back();
    kept.push_back(one);
  }
  return kept;
}

}  // namespace sonde::analysis
