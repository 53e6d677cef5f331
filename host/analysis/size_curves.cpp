#include "analysis/size_curves.hpp"

#include <algorithm>
#include <cmath>
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

/// The number of points from `first` on lie within the tolerated ratio.
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

/// Adds the longest stretch of a range, and those on either side of it by the same rule.
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

std::vector<FlatStretch> flat_stretches(const std::map<double, double>& value_by_bytes, Trend trend) {
  const Points points(value_by_bytes.begin(), value_by_bytes.end());
  std::vector<FlatStretch> all;
  add_longest(points, 0, points.size(), all);
  std::vector<FlatStretch> kept;
  for (const FlatStretch& one : all) {
    const auto nearer_is_worse = [&](const FlatStretch& nearer) {
      return trend == Trend::falls ? nearer.value < one.value : nearer.value > one.value;
    };
    const auto as_good = [&](const FlatStretch& nearer) {
      return std::max(nearer.value, one.value) <= tolerated * std::min(nearer.value, one.value);
    };
    // A single bad point cuts one stretch in two.
    if (!kept.empty() && as_good(kept.back())) {
      kept.back().last_bytes = one.last_bytes;
      continue;
    }
    while (!kept.empty() && nearer_is_worse(kept.back())) kept.pop_back();
    kept.push_back(one);
  }
  return kept;
}

namespace {

/// A bus between two chips and back adds more; another path through one chip does not.
constexpr double least_bus_ns = 400;
constexpr double least_bus_ratio = 1.8;
/// A cache serves what is below the first share of the latency at the largest size, and none what is above the second.
constexpr double served = 0.8;
constexpr double not_served = 0.9;
/// The bypassing kind has to be farther on its way up by this share.
constexpr double clearly_further = 0.2;
constexpr double alike = 1.25;

}  // namespace

std::optional<MemoryDistance> compare_memories(const LatencyBySize& own, const LatencyBySize& other) {
  MemoryDistance found;
  std::vector<double> distances;
  for (const auto& [bytes, ns] : own) {
    if (!other.contains(bytes)) continue;
    found.bytes = bytes;
    found.own_ns = ns;
    found.other_ns = other.at(bytes);
    distances.push_back(std::abs(std::log(found.other_ns / ns)));
  }
  if (distances.empty()) return std::nullopt;
  found.bus_margin =
      std::min((found.other_ns - found.own_ns) / least_bus_ns, found.other_ns / found.own_ns / least_bus_ratio) - 1;
  found.bypass_margin = -1;
  for (const auto& [bytes, ns] : own) {
    if (!other.contains(bytes) || bytes >= found.bytes) continue;
    const double own_share = ns / found.own_ns;
    const double other_share = other.at(bytes) / found.other_ns;
    const double margin =
        std::min({served - own_share, other_share - not_served, other_share - own_share - clearly_further});
    if (margin > 0 && found.bypass_margin <= 0) found.bypassed_bytes = bytes;
    found.bypass_margin = std::max(found.bypass_margin, margin);
  }
  found.alike_margin = 1 - std::max(distances.back(), quantile(distances, 0.5)) / std::log(alike);
  return found;
}

}  // namespace sonde::analysis
