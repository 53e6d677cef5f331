#include "analysis/levels/level_latency.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/levels/other_runs.hpp"
#include "analysis/levels/step_evidence.hpp"

namespace sonde::analysis {
namespace {

/// Laps that fell by no more than this had next to nothing left to fall by: what is forgotten at a constant rate has
/// its square left.
constexpr double as_good_as_settled = 0.02;
constexpr double served_mostly = 0.7;  // share of accesses
constexpr double climb_of_memory = 1.05;
constexpr double surely_held = 0.3;  // of the nearest cache
/// Few points that climb tell nothing of what lies so far beyond all that was measured.
constexpr double beyond_the_curve = 1.5;

/// The settled points from a size on of which a level serves at least so much.
std::vector<CurvePoint> served_by(const LatencyCurves& curves, const FittedHierarchy& fitted, std::size_t level,
                                  double least_share, double from_bytes) {
  std::vector<CurvePoint> points;
  for (const CurvePoint& point : curves.cycle) {
    if (point.settling > as_good_as_settled || point.bytes < from_bytes) continue;
    if (cyclic_share(fitted, level, std::log2(point.bytes)) >= least_share) points.push_back(point);
  }
  return points;
}

std::vector<double> medians_ns(std::span<const CurvePoint> points) {
  std::vector<double> medians;
  for (const CurvePoint& point : points) medians.push_back(median_of(point));
  return medians;
}

/// The least working set at which memory's latency is read. Where the points that the fit gives it climb, translation
/// taken out, and are not flat where most of them are, the last cache fades more slowly than any formula: then only the
/// last doubling of sizes counts.
double memory_from_bytes(const FittedCurves& all) {
  const FittedHierarchy& fitted = all.fitted();
  const LatencyCurves& curves = all.curves;
  const std::size_t memory = fitted.log2_bytes.size();
  const double last_doubling = curves.cycle.back().bytes / 2.001;
  const std::vector<double> last = medians_ns(served_by(curves, fitted, memory, served_nearly_alone, last_doubling));
  if (last.size() < 2) return 0;
  const double usual = quantile(medians_ns(served_by(curves, fitted, memory, served_nearly_alone, 0)), 0.5);
  const bool flat = std::ranges::any_of(flat_latencies(fitted, all.points(), memory), [&](double ns) {
    return ns < climb_of_memory * usual && usual < climb_of_memory * ns;
  });
  return !flat && quantile(last, 0.5) > climb_of_memory * usual ? last_doubling : 0;
}

/// What a curve ends in, also where laps still fell and nobody knows how far they would have. Of a point of one lap
/// nothing is known: then what the one before it has.
double at_the_end_ns(const std::vector<CurvePoint>& cycle) {
  const auto last =
      std::find_if(cycle.rbegin(), cycle.rend(), [](const CurvePoint& point) { return point.settling < 1; });
  return last == cycle.rend() ? 0 : median_of(*last);
}

/// A point's latency without what the fit says that other levels add to it.
double without_others_ns(const CurvePoint& point, const FittedHierarchy& fitted, std::size_t level) {
  const double at = std::log2(point.bytes);
  return median_of(point) * level_ns(fitted, level, at) / cyclic_ns(fitted, at);
}

/// A plateau's latency as the fits have it.
Bracket fitted_plateau_ns(const FittedCurves& all, std::size_t level) {
  std::vector<double> fits{std::exp(all.fitted().log_ns[level])};
  for (const FittedHierarchy& one : all.bootstrap) fits.push_back(std::exp(one.log_ns[level]));
  const Bracket bracket{quantile(fits, 0.025), fits.front(), quantile(fits, 0.975)};
  if (all.refined.misfit <= 1) return bracket;
  // Of two that contradict each other the walk whose latency it is says more: the other adds arithmetic.
  const double by_cycle = std::exp(all.refined.by_cycle.log_ns[level]);
  return {std::min(by_cycle, bracket.low), by_cycle, std::max(by_cycle, bracket.high)};
}

/// The latencies of a level's plateau: of the points from a size on that it serves nearly alone.
std::vector<double> plateau_points_ns(const FittedCurves& all, std::size_t level, double from_bytes) {
  const FittedHierarchy& fitted = all.fitted();
  std::vector<double> medians;
  for (const CurvePoint& point : all.measured.cycle) {
    const double at = std::log2(point.bytes);
    if (point.settling > as_good_as_settled || point.bytes < from_bytes) continue;
    if (cyclic_share(fitted, level, at) >= served_nearly_alone) {
      medians.push_back(without_others_ns(point, fitted, level));
    } else if (level == 0 && !fitted.log2_bytes.empty() && at < fitted.log2_bytes[0] + std::log2(surely_held)) {
      // So few lines overfill hardly a set, whatever a formula says of their mean.
      medians.push_back(median_of(point));
    }
  }
  return medians;
}

/// A sweep may end before memory is alone. The fit knows memory at its start and without translation; those points that
/// it mostly serves have both. What is left of their mixture is not made larger than what was measured.
Bracket mixed_memory_ns(const FittedCurves& all, std::size_t memory, double from_bytes, Bracket bracket) {
  const std::vector<CurvePoint> points = served_by(all.measured, all.fitted(), memory, served_mostly, from_bytes);
  if (points.empty()) return bracket;
  std::vector<double> mostly;
  for (const CurvePoint& point : points) mostly.push_back(without_others_ns(point, all.fitted(), memory));
  const double value = std::min(quantile(mostly, 0.5), quantile(medians_ns(points), 1));
  return {std::min({bracket.low, quantile(mostly, 0), value}), value, std::max(bracket.high, quantile(mostly, 1))};
}

/// A plateau as it was measured, or where hardly a point shows it alone as the fits have it.
Bracket plateau_ns(const FittedCurves& all, std::size_t level, double from_bytes) {
  const std::vector<double> medians = plateau_points_ns(all, level, from_bytes);
  if (medians.size() >= 3) {
    const std::vector<double> curve = medians_ns(all.measured.cycle);
    const Bracket found = in_other_runs(quantile(medians, 0.5), medians);
    return {std::max(found.low, std::min(quantile(curve, 0) / beyond_the_curve, found.value)), found.value,
            std::min(found.high, std::max(quantile(curve, 1) * beyond_the_curve, found.value))};
  }
  const Bracket bracket = fitted_plateau_ns(all, level);
  return level + 1 < all.fitted().log_ns.size() ? bracket : mixed_memory_ns(all, level, from_bytes, bracket);
}

/// Of several of the fit's levels that are one, none of them flat: what most of the points have that they alone serve.
/// Nothing where those are few.
std::optional<Bracket> climb_ns(const FittedCurves& all, const LevelRange& range) {
  std::vector<double> medians;
  for (const CurvePoint& point : all.measured.cycle) {
    double share = 0;
    for (std::size_t level = range.first; level <= range.last; ++level)
      share += cyclic_share(all.fitted(), level, std::log2(point.bytes));
    if (share >= served_nearly_alone) medians.push_back(median_of(point));
  }
  if (medians.size() < 3) return std::nullopt;
  return Bracket{quantile(medians, 0.1), quantile(medians, 0.5), quantile(medians, 0.9)};
}

/// What points from the end of the level before to the end of this one scatter by.
double scatter_of(const FittedCurves& all, const LevelRange& range) {
  const std::vector<double>& log2_bytes = all.fitted().log2_bytes;
  const double from = range.first == 0 ? 0 : std::exp2(log2_bytes[range.first - 1]);
  const double to =
      range.last == log2_bytes.size() ? all.measured.cycle.back().bytes : std::exp2(log2_bytes[range.last]);
  return scatter_between(all.measured.cycle, from, to);
}

}  // namespace

Bracket level_latency(const FittedCurves& all, const LevelRange& range) {
  const bool memory = range.last + 1 == all.fitted().log_ns.size();
  std::optional<Bracket> found;
  if (range.first < range.last && !range.flat) found = climb_ns(all, range);
  if (!found) found = plateau_ns(all, range.flat.value_or(range.last), memory ? memory_from_bytes(all) : 0);
  found = no_surer_than_runs_are(*found, scatter_of(all, range));
  // A last level without an end holds what the curve ends in, even where that is a climb.
  if (memory) found->high = std::max(found->high, at_the_end_ns(all.measured.cycle));
  return *found;
}

}  // namespace sonde::analysis
