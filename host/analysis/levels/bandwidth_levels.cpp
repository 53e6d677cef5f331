#include "analysis/levels/levels.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sonde::analysis {
namespace {

constexpr std::size_t least_points = 3;
/// The part of a curve before this share of its best is no level's bandwidth: groups have too little to do there.
constexpr double nearly_best = 0.9;
/// A larger working set is never so much faster than a smaller one: one of the two was measured wrongly.
constexpr double rises_again = 1.3;
/// A curve may have so many wrong points, or one in sixteen where that is more.
constexpr std::size_t few = 2;
constexpr std::size_t one_of = 16;
/// The fall that ends a level. It is smaller than the rise of a latency, as latencies rise by more than bandwidths
/// fall.
constexpr double least_fall = 1.12;
/// A single point at the beginning is a level only if it is so much better than the next level.
constexpr double more_than_luck = 2;

std::vector<double> medians_of(std::span<const CurvePoint> points) {
  std::vector<double> medians;
  for (const CurvePoint& point : points) medians.push_back(median_of(point));
  return medians;
}

/// The curve that never rises and is nearest to this one: neighbours that rise share their median (the pool-adjacent-
/// violators algorithm).
std::vector<double> never_rising(const std::vector<double>& gbps) {
  std::vector<std::vector<double>> pools;
  for (const double one : gbps) {
    pools.push_back({one});
    while (pools.size() > 1 && quantile(pools.back(), 0.5) > quantile(pools[pools.size() - 2], 0.5)) {
      const std::vector<double> last = std::move(pools.back());
      pools.pop_back();
      pools.back().insert(pools.back().end(), last.begin(), last.end());
    }
  }
  std::vector<double> all;
  for (const std::vector<double>& pool : pools) all.insert(all.end(), pool.size(), quantile(pool, 0.5));
  return all;
}

/// The curve without points far below or above one that never rises. Such points come from a shape that a working set
/// cannot be cut into, another program, or groups that meet in a cache. Nothing where they are many.
std::vector<CurvePoint> falling(const std::vector<CurvePoint>& curve) {
  const std::vector<double> level = never_rising(medians_of(curve));
  std::vector<CurvePoint> kept;
  std::size_t slow = 0;
  std::size_t fast = 0;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const double gbps = median_of(curve[i]);
    if (gbps * rises_again < level[i]) {
      ++slow;
    } else if (gbps > rises_again * level[i]) {
      ++fast;
    } else {
      kept.push_back(curve[i]);
    }
  }
  const bool many = std::max(slow, fast) > std::max(few, curve.size() / one_of);
  return many ? std::vector<CurvePoint>() : kept;
}

}  // namespace

std::vector<CurvePoint> with_enough_to_do(std::span<const CurvePoint> curve) {
  // A single point may be disturbed.
  const double best = curve.empty() ? 0 : std::ranges::max(running_median(medians_of(curve), 1));
  const auto is_near = [&](const CurvePoint& one) { return median_of(one) >= nearly_best * best; };
  return {std::ranges::find_if(curve, is_near), curve.end()};
}

std::vector<CurvePoint> time_curve(std::span<const CurvePoint> curve, double line_bytes) {
  std::vector<CurvePoint> times(curve.begin(), curve.end());
  for (CurvePoint& point : times) {
    for (double& value : point.values) value = line_bytes / value;
  }
  return times;
}

std::vector<BandwidthLevel> find_bandwidth_levels(std::span<const CurvePoint> swept, double line_bytes) {
  if (swept.size() < least_points) return {};
  const std::vector<CurvePoint> curve = falling(with_enough_to_do(swept));
  LatencyCurves times;
  times.cycle = time_curve(curve, line_bytes);
  times.line_bytes = line_bytes;
  times.of_streams = true;
  curve::Constants constants;
  constants.least_step = least_fall;
  const std::vector<Level> levels = find_levels(times, constants).levels;
  const std::vector<std::optional<Bracket>> gbps = bandwidths_within(levels, curve);
  std::vector<BandwidthLevel> found;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (gbps[i]) found.push_back({levels[i].bytes, levels[i].onset_bytes, levels[i].end_bytes, *gbps[i]});
  }
  // The curve begins where it is nearly its best. A single point there is the luckiest of many or lies on a slope,
  // unless it gets more than either explains.
  const auto begins = [&](const CurvePoint& point) { return point.bytes <= found.front().onset_bytes; };
  if (found.size() > 1 && found[0].gbps.value < more_than_luck * found[1].gbps.value &&
      std::ranges::count_if(curve, begins) < 2)
    found.erase(found.begin());
  return found.size() < 2 ? std::vector<BandwidthLevel>() : found;
}

std::string_view why_without_bandwidth_levels(std::span<const CurvePoint> swept) {
  if (swept.size() < least_points) return "";
  return falling(with_enough_to_do(swept)).empty()
             ? "the curve rises again with larger working sets, as behind no hierarchy of caches; measure again on an "
               "idle machine"
             : "the curve has no fall that stands out from its scatter, so all working sets may be of one level";
}

}  // namespace sonde::analysis
