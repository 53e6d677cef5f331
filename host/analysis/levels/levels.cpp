#include "analysis/levels/levels.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "analysis/levels/fitted_curves.hpp"
#include "analysis/levels/hierarchy_search.hpp"
#include "analysis/levels/level_latency.hpp"
#include "analysis/levels/level_size.hpp"
#include "analysis/levels/page_tables.hpp"
#include "analysis/levels/step_evidence.hpp"
#include "analysis/levels/transition.hpp"
#include "analysis/levels/translation.hpp"

namespace sonde::analysis {
namespace {

constexpr double most_step_of_translation = 1.25;
/// Translation begins to cost about here, over the span of an edge and over its reach.
constexpr double begins_from = 0.7;
constexpr double begins_up_to = 2;

/// Whether an edge of translation begins to cost at about a size.
bool begins_at(const TranslationEdge& edge, double bytes) {
  return bytes > begins_from * edge.bytes && bytes < begins_up_to * edge.reach_bytes;
}

/// Whether the step beyond a cache lies where translation begins to cost as much: what is left of an edge that the walk
/// with one line a page has shown. Only what it adds about there counts: on CPUs the ends of several tables, and what
/// is kept of them, make up one climb over many sizes.
bool is_translation(const FittedHierarchy& fitted, std::size_t cache, const std::vector<TranslationEdge>& edges) {
  const double at = fitted.log2_bytes[cache];
  const double bytes = std::exp2(at);
  const double step = level_ns(fitted, cache + 1, at) - level_ns(fitted, cache, at);
  constexpr double about = 4;
  return std::ranges::any_of(edges, [&](const TranslationEdge& edge) {
    const double added_ns = added_ns_at(edge, about * bytes) - added_ns_at(edge, bytes / about);
    return !edge.is_table && begins_at(edge, bytes) && step < 1.25 * added_ns;
  });
}

std::ptrdiff_t level_count(const FittedHierarchy& fitted, const FitCurves& points) {
  std::ptrdiff_t count = 0;
  for (std::size_t cache = 0; cache < fitted.log2_bytes.size(); ++cache)
    count += is_level(fitted, points, cache) ? 1 : 0;
  return count;
}

/// The hierarchy without a cache whose step is small and lies where translation begins to cost, if that loses no other
/// level: a driver's instructions beside each load hide a part of that cost while the lines are in the first cache,
/// where the walk with one line a page has them, and less of it beyond. Nothing where there is none.
std::optional<FittedHierarchy> without_hidden_translation(const FittedHierarchy& fitted, const FitCurves& points,
                                                          const std::vector<TranslationEdge>& edges) {
  for (std::size_t cache = 1; cache < fitted.log2_bytes.size(); ++cache) {
    const double at = fitted.log2_bytes[cache];
    if (level_ns(fitted, cache + 1, at) > most_step_of_translation * level_ns(fitted, cache, at)) continue;
    const bool begins_there =
        std::ranges::any_of(edges, [&](const TranslationEdge& edge) { return begins_at(edge, std::exp2(at)); });
    if (!begins_there || !is_level(fitted, points, cache)) continue;
    FittedHierarchy fewer = fit(points, without_cache(fitted, cache));
    if (within_sweep(fewer, points) && level_count(fewer, points) + 1 == level_count(fitted, points)) return fewer;
  }
  return std::nullopt;
}

/// Without points that no latency can be read from, the others multiplied.
LatencyCurves scaled(LatencyCurves curves, double factor) {
  for (std::vector<CurvePoint>* curve : {&curves.cycle, &curves.independent, &curves.page}) {
    std::erase_if(*curve, [](const CurvePoint& point) { return point.values.empty() || median_of(point) <= 0; });
    for (CurvePoint& point : *curve) {
      for (double& value : point.values) value *= factor;
    }
  }
  for (StridePoint& point : curves.strides) {
    for (double& value : point.values) value *= factor;
  }
  return curves;
}

/// The first of the fit's levels from `first` to `last` that is flat somewhere; none where all only climb.
std::optional<std::size_t> first_flat(const FittedHierarchy& fitted, const FitCurves& points, std::size_t first,
                                      std::size_t last) {
  for (std::size_t level = first; level <= last; ++level) {
    if (!flat_latencies(fitted, points, level).empty()) return level;
  }
  return std::nullopt;
}

/// The hierarchy that explains the curves, without caches that are only a part of another's edge, or of translation's.
RefinedHierarchy find_hierarchy(const LatencyCurves& measured, const FitCurves& points) {
  const auto cycle = [](const RefinedHierarchy& one) { return cycle_alone(one.curves); };
  RefinedHierarchy found = refined(points, search_hierarchy(cycle_alone(points)));
  while (const auto fewer = with_one_edge_for_two(found.by_cycle, cycle(found))) found = refined(points, *fewer);
  const std::vector<TranslationEdge> edges = translation_edges(measured, faint_edge);
  const auto less_translation = [&](const RefinedHierarchy& one) {
    return without_hidden_translation(one.by_cycle, cycle(one), edges);
  };
  const auto fewer = less_translation(found);
  if (!fewer) return found;
  const RefinedHierarchy again = refined(points, *fewer);
  // Where it comes back, or takes a level with it, it was more than that.
  const bool same_levels = level_count(again.by_cycle, cycle(again)) >= level_count(*fewer, cycle(found));
  return same_levels && !less_translation(again) ? again : found;
}

/// Without a walk over pages a last climb that is small, or that no flat stretch follows, may be address translation.
bool may_be_translation(const LatencyCurves& measured, const FittedHierarchy& fitted, const FitCurves& points,
                        const std::vector<Level>& levels) {
  if (!measured.page.empty() || !measured.strides.empty() || levels.size() < 2) return false;
  constexpr double least_step = 1.3;
  const double step = levels.back().latency_ns.value / levels[levels.size() - 2].latency_ns.value;
  return step < least_step || flat_latencies(fitted, points, fitted.log2_bytes.size()).empty();
}

Hierarchy find_scaled_levels(const LatencyCurves& measured, std::uint64_t seed) {
  Hierarchy hierarchy;
  hierarchy.page_tables = page_tables(measured.strides);
  hierarchy.translation = translation_edges(measured);
  if (measured.page.empty()) {
    std::ranges::transform(hierarchy.page_tables, std::back_inserter(hierarchy.translation), edge_of);
  }
  LatencyCurves curves = without_translation(measured, hierarchy.translation);
  const FitCurves points = fit_curves(curves);
  FittedCurves all{.measured = measured,
                   .curves = std::move(curves),
                   .measured_points = points,
                   .refined = find_hierarchy(measured, points)};
  all.bootstrap = bootstrap(all, seed);

  const FittedHierarchy& fitted = all.fitted();
  std::size_t first = 0;
  for (std::size_t last = 0; last < fitted.log_ns.size(); ++last) {
    const bool memory = last == fitted.log2_bytes.size();
    if (!memory && (!is_level(fitted, all.points(), last) || is_translation(fitted, last, hierarchy.translation))) {
      continue;
    }
    // The first that is flat has the level's latency: the others are climbs. Of memory it is the last, beyond every
    // mixture.
    const LevelRange range{
        .first = first, .last = last, .flat = memory ? last : first_flat(fitted, all.points(), first, last)};
    Level& level = hierarchy.levels.emplace_back();
    level.latency_ns = level_latency(all, range);
    if (!memory) set_size(level, all, range);
    first = last + 1;
  }
  hierarchy.levels.back().may_be_translation = may_be_translation(measured, fitted, all.points(), hierarchy.levels);
  return hierarchy;
}

}  // namespace

std::vector<Edge> find_edges(const LatencyCurves& curves) {
  std::vector<Edge> edges;
  if (curves.cycle.size() < 3) return edges;
  const FitCurves points = fit_curves(curves);
  const FittedHierarchy fitted = search_hierarchy(points);
  for (std::size_t cache = 0; cache < fitted.log2_bytes.size(); ++cache) {
    if (!is_level(fitted, points, cache)) continue;
    const Crossing onset = crossing(curves, fitted, cache, 0.05);
    edges.push_back(
        {.onset_bytes = std::sqrt(onset.below * onset.above), .middle_bytes = std::exp2(fitted.log2_bytes[cache])});
  }
  return edges;
}

Hierarchy find_levels(const LatencyCurves& curves, std::uint64_t seed) {
  if (curves.cycle.size() < 3) return {};
  // In units of the nearest latency, so that nanoseconds and cycles take the solver the same way.
  const double unit = median_of(curves.cycle.front());
  Hierarchy hierarchy = find_scaled_levels(scaled(curves, 1 / unit), seed);
  for (Level& level : hierarchy.levels) {
    for (double* ns : {&level.latency_ns.low, &level.latency_ns.value, &level.latency_ns.high}) *ns *= unit;
  }
  for (TranslationEdge& edge : hierarchy.translation) edge.added_ns *= unit;
  for (PageTable& table : hierarchy.page_tables) {
    for (double* ns : {&table.added_ns.low, &table.added_ns.value, &table.added_ns.high}) *ns *= unit;
  }
  return hierarchy;
}

}  // namespace sonde::analysis
