#include "analysis/bandwidth_levels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sonde::analysis {
namespace {

/// Before a curve has come so near to its best, groups have too little to do: that is no level's bandwidth.
constexpr double nearly_best = 0.9;
/// A larger working set is not moved faster by so much: either was measured wrongly.
constexpr double rises_again = 1.3;
/// So few points below what larger working sets get are dips, where a shape or another program was in the way.
constexpr std::size_t few_dips = 2;
/// A fit may see a plateau where no point is; a level is what was measured.
constexpr double beyond_the_best = 1.1;
/// Between two levels; and over how much the points of their plateaus scatter.
constexpr double least_fall = 1.12;
constexpr double least_fall_over_scatter = 4;

double median_of(const CurvePoint& point) { return summarize(point.values).median; }

/// Medians of each point and its neighbours: one disturbed point says nothing.
std::vector<double> smoothed(const std::vector<CurvePoint>& curve) {
  std::vector<double> all;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const std::size_t from = i > 0 ? i - 1 : i;
    const std::size_t to = std::min(i + 1, curve.size() - 1);
    std::vector<double> near;
    for (std::size_t j = from; j <= to; ++j) near.push_back(median_of(curve[j]));
    all.push_back(quantile(near, 0.5));
  }
  return all;
}

std::vector<CurvePoint> without_too_little_to_do(std::span<const CurvePoint> curve) {
  std::vector<CurvePoint> left(curve.begin(), curve.end());
  const std::vector<double> gbps = smoothed(left);
  const double best = *std::ranges::max_element(gbps);
  const auto first = std::ranges::find_if(left, [&](const CurvePoint& one) { return median_of(one) >= nearly_best * best; });
  left.erase(left.begin(), first);
  return left;
}

/// The curve without a few dips; nothing where it rises again for good.
std::vector<CurvePoint> falling(std::vector<CurvePoint> curve) {
  for (;;) {
    const std::vector<double> gbps = smoothed(curve);
    double least = gbps.front();
    const auto rise = std::ranges::find_if(gbps, [&](double one) {
      least = std::min(least, one);
      return one > rises_again * least;
    });
    if (rise == gbps.end()) return curve;
    const auto place = static_cast<std::size_t>(rise - gbps.begin());
    std::vector<CurvePoint> kept;
    for (std::size_t i = 0; i < curve.size(); ++i) {
      if (i >= place || rises_again * median_of(curve[i]) > *rise) kept.push_back(curve[i]);
    }
    const std::size_t dips = curve.size() - kept.size();
    if (dips == 0 || dips > few_dips || kept.size() < 3) return {};
    curve = kept;
  }
}

Bracket gbps_of(const Bracket& ns, double line_bytes) {
  return {line_bytes / ns.high, line_bytes / ns.value, line_bytes / ns.low};
}

/// Medians of the points that one level serves alone.
std::vector<double> plateau(const std::vector<CurvePoint>& curve, const std::vector<BandwidthLevel>& levels, std::size_t level) {
  std::vector<double> gbps;
  for (const CurvePoint& point : curve) {
    const bool begun = level == 0 || point.bytes >= levels[level - 1].end_bytes;
    const bool left = levels[level].bytes && point.bytes > levels[level].onset_bytes;
    if (begun && !left) gbps.push_back(median_of(point));
  }
  return gbps;
}

/// How far points of plateaus lie from their level, as a standard deviation of the logarithm.
double scatter(const std::vector<CurvePoint>& curve, const std::vector<BandwidthLevel>& levels) {
  std::vector<double> distances;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    for (const double gbps : plateau(curve, levels, level)) distances.push_back(std::abs(std::log(gbps / levels[level].gbps.value)));
  }
  return distances.empty() ? 0 : 1.4826 * quantile(distances, 0.5);
}

/// The same without edges that are no larger than what points scatter by: what is on both sides of one is one level.
std::vector<BandwidthLevel> without_noise(const std::vector<CurvePoint>& curve, std::vector<BandwidthLevel> levels) {
  for (std::size_t level = 0; level + 1 < levels.size();) {
    const double fall = std::log(levels[level].gbps.value / levels[level + 1].gbps.value);
    if (fall >= std::max(std::log(least_fall), least_fall_over_scatter * scatter(curve, levels))) {
      ++level;
      continue;
    }
    levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(level));
    const std::vector<double> both = plateau(curve, levels, level);
    if (!both.empty()) {
      const Interval interval = median_interval(both);
      levels[level].gbps = {interval.low, quantile(both, 0.5), interval.high};
    }
    level = 0;
  }
  return levels;
}

}  // namespace

std::vector<CurvePoint> time_curve(std::span<const CurvePoint> curve, double line_bytes) {
  std::vector<CurvePoint> times(curve.begin(), curve.end());
  for (CurvePoint& point : times) {
    for (double& value : point.values) value = line_bytes / value;
  }
  return times;
}

std::vector<BandwidthLevel> find_bandwidth_levels(std::span<const CurvePoint> curve, double line_bytes, std::uint64_t seed) {
  if (curve.size() < 3) return {};
  const std::vector<CurvePoint> told = falling(without_too_little_to_do(curve));
  if (told.size() < 3) return {};
  double best = 0;
  for (const CurvePoint& point : told) best = std::max(best, median_of(point));

  LatencyCurves times;
  times.cycle = time_curve(told, line_bytes);
  times.line_bytes = line_bytes;
  std::vector<BandwidthLevel> levels;
  for (const Level& level : find_levels(times, seed).levels) {
    levels.push_back({.bytes = level.bytes,
                      .onset_bytes = level.onset_bytes,
                      .end_bytes = level.end_bytes,
                      .gbps = gbps_of(level.latency_ns, line_bytes)});
  }
  // Of a level that hardly began before it ended only a slope was seen.
  while (!levels.empty() && levels.front().gbps.value > beyond_the_best * best) levels.erase(levels.begin());
  levels = without_noise(told, levels);
  if (levels.size() < 2) return {};
  return levels;
}

}  // namespace sonde::analysis
