#include "analysis/levels/bandwidth_levels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include "analysis/levels/other_runs.hpp"

namespace sonde::analysis {
namespace {

/// Before a curve has come so near to its best, groups have too little to do: that is no level's bandwidth.
constexpr double nearly_best = 0.9;
/// A larger working set is not moved faster by so much: either was measured wrongly.
constexpr double rises_again = 1.3;
/// Such points are tolerated where they are few, or one of so many.
constexpr std::size_t few = 2;
constexpr std::size_t one_of = 16;
/// A fit may see a plateau where no point is; a level is what was measured.
constexpr double beyond_the_best = 1.1;
/// Between two levels; and over how much points scatter.
constexpr double least_fall = 1.12;
constexpr double least_fall_over_scatter = 4;
constexpr double least_fall_over_own_spread = 1.5;
/// A level whose points fall apart: an octave before the cut and one behind are each flat within this, the one so far
/// below the other, as nearly all points are; and the cut is no wider than this.
constexpr double flat_within = 1.12;
constexpr double low_part = 0.83;
constexpr double nearly_all = 0.8;
constexpr double widest_cut = 2.1;
/// What a fit says that a level delivers may be so far off what its points lie between.
constexpr double tolerated_off = 1.05;

std::vector<double> medians_of(std::span<const CurvePoint> points) {
  std::vector<double> medians;
  for (const CurvePoint& point : points) medians.push_back(median_of(point));
  return medians;
}

/// Medians of each point and those beside it: one disturbed point says nothing.
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
  const auto is_near = [&](const CurvePoint& one) { return median_of(one) >= nearly_best * best; };
  left.erase(left.begin(), std::ranges::find_if(left, is_near));
  return left;
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

/// The curve without points far below or above one that never rises: a shape that this working set cannot be cut into,
/// another program, groups that meet in a cache. Nothing where they are many.
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

/// Points of the curve that one level serves alone.
std::vector<CurvePoint> plateau(const std::vector<CurvePoint>& curve, const std::vector<BandwidthLevel>& levels,
                                std::size_t level) {
  std::vector<CurvePoint> points;
  for (const CurvePoint& point : curve) {
    const bool begun = level == 0 || point.bytes >= levels[level - 1].end_bytes;
    const bool left = levels[level].bytes && point.bytes > levels[level].onset_bytes;
    if (begun && !left) points.push_back(point);
  }
  return points;
}

/// Median and quartiles.
Bracket middle_of(std::span<const CurvePoint> points) {
  const Summary all = summarize(medians_of(points));
  return {all.lower_quartile, all.median, all.upper_quartile};
}

Bracket gbps_of(const Bracket& ns, double line_bytes) {
  return {line_bytes / ns.high, line_bytes / ns.value, line_bytes / ns.low};
}

/// How far points scatter, as a standard deviation of the logarithm: from how much each turns against its neighbours,
/// which a slope does not, and few of the points lie at an edge.
double scatter(const std::vector<CurvePoint>& curve) {
  std::vector<double> turns;
  for (std::size_t i = 1; i + 1 < curve.size(); ++i) {
    const double beside = median_of(curve[i - 1]) * median_of(curve[i + 1]);
    turns.push_back(std::abs(std::log(beside / std::pow(median_of(curve[i]), 2))));
  }
  return turns.empty() ? 0 : 1.4826 * quantile(turns, 0.5) / std::sqrt(6.0);
}

/// How far the repetitions of a usual point lie apart, from first to third quartile, as a logarithm.
double own_spread(std::span<const CurvePoint> points) {
  std::vector<double> spreads;
  for (const CurvePoint& point : points) {
    const Summary all = summarize(point.values);
    if (all.lower_quartile > 0) spreads.push_back(std::log(all.upper_quartile / all.lower_quartile));
  }
  return spreads.empty() ? 0 : quantile(spreads, 0.5);
}

/// How many of the furthest points get the same over enough of sizes, so that no cache has a part in it; 0 where it
/// has.
std::size_t flat_at_the_end(std::span<const CurvePoint> points) {
  constexpr double the_same = 1.015;
  constexpr double enough = 1.3;
  std::size_t count = 0;
  double least = 0;
  double most = 0;
  for (; count < points.size(); ++count) {
    const double gbps = median_of(points[points.size() - 1 - count]);
    least = count == 0 ? gbps : std::min(least, gbps);
    most = std::max(most, gbps);
    if (most > the_same * least) break;
  }
  return count >= 2 && points.back().bytes >= enough * points[points.size() - count].bytes ? count : 0;
}

/// The same without edges that are no larger than what points scatter by, or than how far the repetitions of the points
/// on both sides lie apart, and without a last one beyond which there is hardly a point: what is on both sides of one
/// is one level.
std::vector<BandwidthLevel> without_noise(const std::vector<CurvePoint>& curve, std::vector<BandwidthLevel> levels) {
  const double noise = scatter(curve);
  for (std::size_t level = 0; level + 1 < levels.size();) {
    const double fall = std::log(levels[level].gbps.value / levels[level + 1].gbps.value);
    std::vector<CurvePoint> beside = plateau(curve, levels, level);
    std::ranges::copy(plateau(curve, levels, level + 1), std::back_inserter(beside));
    const double apart = least_fall_over_own_spread * own_spread(beside);
    const double nearer_to_the_next = std::sqrt(levels[level].gbps.value * levels[level + 1].gbps.value);
    const auto beyond =
        std::ranges::find_if(curve, [&](const CurvePoint& one) { return median_of(one) < nearer_to_the_next; });
    const std::span<const CurvePoint> last(beyond, curve.end());
    const bool seen = levels[level + 1].bytes || last.size() > few || flat_at_the_end(last) > 0;
    if (seen && fall >= std::max({std::log(least_fall), least_fall_over_scatter * noise, apart})) {
      ++level;
      continue;
    }
    levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(level));
    const std::vector<CurvePoint> both = plateau(curve, levels, level);
    if (!both.empty()) levels[level].gbps = middle_of(both);
    level = 0;
  }
  return levels;
}

/// Where points fall apart into some that are flat and others that are all lower: the last of the one and the first of
/// the other; none where they do not.
struct Cut {
  std::size_t last_flat = 0;
  std::size_t first_low = 0;
};

/// Medians within an octave of sizes, if they are enough and flat; nothing where they are not.
std::vector<double> flat_octave(std::span<const CurvePoint> points, double from_bytes, double to_bytes) {
  std::vector<double> gbps;
  for (const CurvePoint& point : points) {
    if (point.bytes >= from_bytes && point.bytes <= to_bytes) gbps.push_back(median_of(point));
  }
  const bool flat =
      gbps.size() >= 3 && *std::ranges::max_element(gbps) <= flat_within * *std::ranges::min_element(gbps);
  return flat ? gbps : std::vector<double>();
}

std::optional<Cut> cut_of(std::span<const CurvePoint> points, double noise) {
  const std::vector<double> gbps = medians_of(points);
  const std::span<const double> all(gbps);
  const double spread = own_spread(points);
  for (std::size_t flat = 0; flat + 1 < gbps.size(); ++flat) {
    const std::vector<double> before = flat_octave(points, points[flat].bytes / 2, points[flat].bytes);
    if (before.empty()) continue;
    const double near = quantile(before, 0.5);
    for (std::size_t low = flat + 1; low < gbps.size() && points[low].bytes <= widest_cut * points[flat].bytes; ++low) {
      const std::vector<double> after = flat_octave(points, points[low].bytes, 2 * points[low].bytes);
      if (after.empty()) continue;
      const double fall = std::log(near / quantile(after, 0.5));
      // Nearly all others on their side as well.
      const bool apart =
          quantile(all.first(flat + 1), 1 - nearly_all) * low_part >= quantile(all.subspan(low), nearly_all);
      const double least =
          std::max({-std::log(low_part), least_fall_over_scatter * noise, least_fall_over_own_spread * spread});
      if (apart && fall >= least) return Cut{flat, low};
    }
  }
  return std::nullopt;
}

/// Latencies rise by more than bandwidths fall: a step that is too small for a level of the one is none for the other,
/// and a fit takes it for a slope. Such a level is cut in two where its points fall apart; what is left slopes between
/// quartiles.
std::vector<BandwidthLevel> cut(const std::vector<CurvePoint>& curve, std::vector<BandwidthLevel> levels) {
  const double noise = scatter(curve);
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const std::vector<CurvePoint> points = plateau(curve, levels, level);
    if (const auto found = cut_of(points, noise)) {
      const double onset = points[found->last_flat].bytes;
      const double end = points[found->first_low].bytes;
      const double half = std::sqrt(median_of(points[found->last_flat]) * median_of(points[found->first_low]));
      double size = onset;  // the last that is nearer to what it was than to what it becomes
      for (std::size_t i = found->last_flat; i < found->first_low && median_of(points[i]) > half; ++i)
        size = points[i].bytes;
      const BandwidthLevel near{.bytes = Bracket{onset, size, end},
                                .onset_bytes = onset,
                                .end_bytes = end,
                                .gbps = middle_of(std::span(points).first(found->last_flat + 1))};
      levels[level].gbps = middle_of(std::span(points).subspan(found->first_low));
      levels.insert(levels.begin() + static_cast<std::ptrdiff_t>(level), near);
      continue;
    }
    // Memory's is what the furthest get, beyond every mixture.
    const std::size_t flat = levels[level].bytes ? 0 : flat_at_the_end(points);
    if (flat > 0) levels[level].gbps = middle_of(std::span(points).last(flat));
    if (!levels[level].bytes || points.size() < 3) continue;
    const Bracket middle = middle_of(points);
    const double value = levels[level].gbps.value;
    if (value > tolerated_off * middle.high || value * tolerated_off < middle.low) levels[level].gbps = middle;
  }
  return levels;
}

/// With what another run may find by how points scatter.
void widen_for_other_runs(const std::vector<CurvePoint>& curve, std::vector<BandwidthLevel>& levels) {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    BandwidthLevel& level = levels[i];
    const std::vector<CurvePoint> points = plateau(curve, levels, i);
    if (points.size() >= 3) {
      const Bracket other = in_other_runs(level.gbps.value, medians_of(points));
      level.gbps = {std::min(level.gbps.low, other.low), level.gbps.value, std::max(level.gbps.high, other.high)};
    } else {
      level.gbps = no_surer_than_runs_are(level.gbps, scatter_between(curve, 0, curve.back().bytes));
    }
    if (!level.bytes) continue;
    const Step step{.log_ns = std::log(level.gbps.value / levels[i + 1].gbps.value),
                    .octaves = std::log2(level.end_bytes / level.onset_bytes)};
    level.bytes = size_in_other_runs(*level.bytes, step, curve);
  }
}

}  // namespace

std::vector<CurvePoint> time_curve(std::span<const CurvePoint> curve, double line_bytes) {
  std::vector<CurvePoint> times(curve.begin(), curve.end());
  for (CurvePoint& point : times) {
    for (double& value : point.values) value = line_bytes / value;
  }
  return times;
}

std::vector<BandwidthLevel> find_bandwidth_levels(std::span<const CurvePoint> curve, double line_bytes,
                                                  std::uint64_t seed) {
  if (curve.size() < 3) return {};
  const std::vector<CurvePoint> falling_curve = falling(without_too_little_to_do(curve));
  if (falling_curve.size() < 3) return {};
  double best = 0;
  for (const CurvePoint& point : falling_curve) best = std::max(best, median_of(point));

  LatencyCurves times;
  times.cycle = time_curve(falling_curve, line_bytes);
  times.line_bytes = line_bytes;
  std::vector<BandwidthLevel> levels;
  for (const Level& level : find_levels(times, seed).levels) {
    std::optional<Bracket> bytes = level.bytes;
    // Streams have no second kind of access that tells policy from capacity, but the latency probe has, and its sizes
    // are to be compared: not the onset, as of a walk alone, but what explains the slope.
    if (bytes) bytes->value = std::clamp(level.fitted_bytes, bytes->low, bytes->high);
    levels.push_back({.bytes = bytes,
                      .onset_bytes = level.onset_bytes,
                      .end_bytes = level.end_bytes,
                      .gbps = gbps_of(level.latency_ns, line_bytes)});
  }
  // Of a level that hardly began before it ended only a slope was seen.
  while (!levels.empty() && levels.front().gbps.value > beyond_the_best * best) levels.erase(levels.begin());
  levels = cut(falling_curve, without_noise(falling_curve, levels));
  if (levels.size() < 2) return {};
  widen_for_other_runs(falling_curve, levels);
  return levels;
}

}  // namespace sonde::analysis
