#include "analysis/levels/levels.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "analysis/levels/disturbed.hpp"
#include "analysis/levels/level_fit.hpp"
#include "analysis/levels/size_belief.hpp"
#include "analysis/levels/translation.hpp"

namespace sonde::analysis {
namespace {

constexpr std::size_t fewest_points = 3;

/// A gap is worth a point where the foreseen latencies lie at least this far apart, in standard deviations of a point.
constexpr double worth_a_point = 1;
/// Points closer together than this share of a size's uncertainty have not settled it, nor would more of them.
constexpr double closest_of_range = 0.25;

/// Constants for choosing what to measure next: a false size costs a few points there, a missed one a level.
curve::Constants eager() {
  curve::Constants constants;
  constants.parameters_of_cache = 3;
  constants.crowded_ratio = 4;
  return constants;
}

/// The curves without points that no latency can be read from.
LatencyCurves readable(LatencyCurves curves) {
  for (std::vector<CurvePoint>* curve : {&curves.cycle, &curves.independent, &curves.page, &curves.visits})
    std::erase_if(*curve, [](const CurvePoint& point) { return point.values.empty() || median_of(point) <= 0; });
  return curves;
}

/// The readable points of the cycle alone; none where they are too few.
std::optional<LatencyCurves> readable_cycle(const LatencyCurves& curves) {
  LatencyCurves cycle = readable({.cycle = curves.cycle,
                                  .independent = {},
                                  .page = {},
                                  .cpu_page_bytes = curves.cpu_page_bytes,
                                  .of_streams = curves.of_streams});
  if (cycle.cycle.size() < fewest_points) return std::nullopt;
  return cycle;
}

LatencyCurves scaled(LatencyCurves curves, double factor) {
  const auto multiply = [&](auto& points) {
    for (auto& point : points) {
      for (double& value : point.values) value *= factor;
    }
  };
  multiply(curves.cycle);
  multiply(curves.independent);
  multiply(curves.page);
  multiply(curves.strides);
  multiply(curves.visits);
  return curves;
}

Hierarchy scaled(Hierarchy hierarchy, double factor) {
  const auto multiply = [&](Bracket& bracket) {
    bracket = {bracket.low * factor, bracket.value * factor, bracket.high * factor};
  };
  for (Level& level : hierarchy.levels) multiply(level.latency_ns);
  for (PageTable& table : hierarchy.page_tables) multiply(table.added_ns);
  for (TranslationEdge& edge : hierarchy.translation) {
    edge.added_ns *= factor;
    for (double& added_ns : edge.added_ns_at) added_ns *= factor;
  }
  return hierarchy;
}

/// The range of what these terms add at a size, as a share of the step.
double difference(const std::vector<curve::Term>& terms, double log2_bytes) {
  double least = 1;
  double most = 0;
  for (const curve::Term& term : terms) {
    const double missed = share(term, curve::LoadOrder::cycle, log2_bytes, log2_bytes);
    least = std::min(least, missed);
    most = std::max(most, missed);
  }
  return most - least;
}

constexpr double room_for_both = 2.1;
/// This far beyond a cache, what random replacement leaves of the working set no longer counts.
constexpr double far_beyond = 4;
/// Fewer points than these lie at the edges of the caches around them and show only chance in the placement of lines.
constexpr std::size_t least_points_of_a_cache = 3;

/// The latency at a size by its neighbours, on logarithmic scales; nothing beyond the curve's ends.
std::optional<double> interpolated(std::span<const CurvePoint> curve, double bytes) {
  const auto above = std::ranges::lower_bound(curve, bytes, {}, &CurvePoint::bytes);
  if (above == curve.end()) return std::nullopt;
  if (above->bytes == bytes) return median_of(*above);
  if (above == curve.begin()) return std::nullopt;
  const CurvePoint& below = *std::prev(above);
  const double share = std::log(bytes / below.bytes) / std::log(above->bytes / below.bytes);
  return std::exp(std::lerp(std::log(median_of(below)), std::log(median_of(*above)), share));
}

/// The ratios of awake to asleep latency at the sizes of a range.
std::vector<double> ratios(std::span<const CurvePoint> asleep, std::span<const CurvePoint> awake,
                           const SizeRange& range) {
  std::vector<double> found;
  for (const CurvePoint& point : awake) {
    if (!range.holds(point.bytes) || point.values.empty()) continue;
    const std::optional<double> lone = interpolated(asleep, point.bytes);
    if (lone && *lone > 0) found.push_back(median_of(point) / *lone);
  }
  return found;
}

}  // namespace

Hierarchy find_levels(const LatencyCurves& curves, const curve::Constants& constants) {
  const LatencyCurves in_ns = readable(curves);
  if (in_ns.cycle.size() < fewest_points) return {};
  // The unit is the nearest latency, so that nanoseconds and cycles give the same to the last bit.
  const double unit = median_of(in_ns.cycle.front());
  const LatencyCurves measured = scaled(in_ns, 1 / unit);
  Hierarchy hierarchy;
  hierarchy.page_tables = page_tables(measured.strides);
  hierarchy.translation = translation_edges(measured);
  std::vector<TranslationEdge> of_tables;
  if (measured.page.empty()) std::ranges::transform(hierarchy.page_tables, std::back_inserter(of_tables), edge_of);
  hierarchy.levels = curve::fit_levels(without_translation(measured, of_tables), measured.cycle, constants);
  std::ranges::move(of_tables, std::back_inserter(hierarchy.translation));
  hierarchy = scaled(std::move(hierarchy), unit);
  reach_over_disturbed(hierarchy, curves, constants);
  return hierarchy;
}

std::vector<Edge> find_edges(const LatencyCurves& curves) {
  const std::optional<LatencyCurves> cycle = readable_cycle(curves);
  return cycle ? curve::fit_edges(*cycle, eager()) : std::vector<Edge>();
}

Doubts doubts(const LatencyCurves& curves, const std::function<bool(const Gap&)>& may_be_cut) {
  const std::optional<LatencyCurves> cycle = readable_cycle(curves);
  if (!cycle) return {};
  const curve::Constants constants = eager();
  const curve::Observations points = observe(*cycle, constants);
  const curve::Fitted fitted = search(points, constants);
  const auto gap_behind = [&](Eigen::Index i) {
    const auto place = static_cast<std::size_t>(i);
    return Gap{cycle->cycle[place].bytes, cycle->cycle[place + 1].bytes};
  };
  Doubts found;
  std::set<Eigen::Index> chosen;
  for (std::size_t term = 0; term < fitted.terms.size(); ++term) {
    if (!fitted.terms[term].is_cache() || fitted.added(term) <= 0) continue;
    found.rises_bytes.push_back(std::exp2(fitted.terms[term].log2_bytes));
    const std::vector<curve::Term> likely = size_belief(points, fitted, term, constants).likely;
    if (likely.empty()) continue;
    const auto [smallest, largest] = std::ranges::minmax(likely, {}, &curve::Term::log2_bytes);
    const double closest = closest_of_range * (largest.log2_bytes - smallest.log2_bytes);
    std::optional<Eigen::Index> best;
    double most = worth_a_point;
    for (Eigen::Index i = 0; i + 1 < points.count(); ++i) {
      if (points.log2_bytes(i + 1) - points.log2_bytes(i) < closest) continue;
      const double at = (points.log2_bytes(i) + points.log2_bytes(i + 1)) / 2;
      const double error = 1 / std::min(points.weight(i), points.weight(i + 1));
      const double doubt = fitted.added(term) * difference(likely, at) / error;
      if (doubt <= most || !may_be_cut(gap_behind(i))) continue;
      most = doubt;
      best = i;
    }
    if (best) chosen.insert(*best);
  }
  std::ranges::transform(chosen, std::back_inserter(found.gaps), gap_behind);
  return found;
}

std::vector<SizeRange> room_for_walk_and_stream(std::span<const Level> levels) {
  std::vector<SizeRange> ranges;
  double left = 0;  // where the level before is gone
  for (const Level& level : levels) {
    ranges.push_back({left, level.bytes ? level.onset_bytes / room_for_both : std::numeric_limits<double>::infinity()});
    left = level.end_bytes;
  }
  return ranges;
}

std::vector<Level> awake_latency(std::vector<Level> levels, std::span<const CurvePoint> asleep,
                                 std::span<const CurvePoint> awake) {
  const std::vector<SizeRange> ranges = room_for_walk_and_stream(levels);
  double last_cache = 0;
  for (std::size_t index = 0; index < levels.size(); ++index) {
    Level& level = levels[index];
    const SizeRange& range = ranges[index];
    std::vector<double> found = ratios(asleep, awake, range);
    if (level.bytes) {
      if (found.size() < least_points_of_a_cache) found.clear();
      last_cache = level.bytes->value;
    } else {
      const std::vector<double> far = ratios(asleep, awake, {std::max(range.low, far_beyond * last_cache), range.high});
      if (!far.empty()) found = far;
    }
    if (found.empty()) continue;
    const Summary ratio = summarize(found);
    level.latency_ns = {level.latency_ns.low * ratio.lower_quartile, level.latency_ns.value * ratio.median,
                        level.latency_ns.high * ratio.upper_quartile};
  }
  return levels;
}

}  // namespace sonde::analysis
