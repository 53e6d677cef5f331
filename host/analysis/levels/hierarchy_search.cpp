#include "analysis/levels/hierarchy_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/levels/in_parallel.hpp"
#include "analysis/levels/shape_choice.hpp"
#include "analysis/levels/step_evidence.hpp"

namespace sonde::analysis {
namespace {

constexpr std::size_t most_caches = 7;
constexpr double insertion_step_octaves = 0.5;
constexpr double octaves_of_two_edges = 2.5;
/// So much more evidence against a fit is not made up for by other shapes.
constexpr double hopeless = 8;
constexpr double nearly_flat_log_ns = 0.06;  // enough to try what may be there

/// Median of what was seen about a size, for a start value.
double log_ns_near(const std::vector<FitPoint>& points, double log2_bytes) {
  const auto nearest = std::ranges::min_element(
      points, {}, [&](const FitPoint& point) { return std::abs(point.log2_bytes - log2_bytes); });
  return nearest->log_ns;
}

FittedHierarchy with_cache(const FittedHierarchy& before, double log2_bytes, const CacheShape& shape,
                           const FitCurves& curves) {
  FittedHierarchy after = before;
  const auto place = std::ranges::lower_bound(after.log2_bytes, log2_bytes) - after.log2_bytes.begin();
  after.log2_bytes.insert(after.log2_bytes.begin() + place, log2_bytes);
  after.shapes.insert(after.shapes.begin() + place, &shape);
  after.log_ns.insert(after.log_ns.begin() + place, log_ns_near(curves.cycle, log2_bytes - 0.7));
  after.log_ns[static_cast<std::size_t>(place) + 1] = log_ns_near(curves.cycle, log2_bytes + 1);
  after.drift.insert(after.drift.begin() + place, 0.0);
  after.drift[static_cast<std::size_t>(place) + 1] = 0;
  after.offset_ns.insert(after.offset_ns.begin() + place, before.offset_ns[static_cast<std::size_t>(place)]);
  return after;
}

/// Few shapes that are far apart, to find where a cache is; which one it is comes later.
std::vector<const CacheShape*> exploring_shapes() {
  std::vector<const CacheShape*> chosen;
  for (const CacheShape& shape : cache_shapes()) {
    const bool hashed = shape.index() == CacheShape::Index::hashed;
    const bool least_recent = shape.policy() == CacheShape::Policy::least_recent;
    if (hashed && least_recent && (shape.ways() == 4 || shape.ways() == 32 || shape.ways() == 512))
      chosen.push_back(&shape);
    if (hashed && !least_recent && shape.ways() == 16) chosen.push_back(&shape);
  }
  return chosen;
}

const CacheShape& sharp_shape() { return shape_of(CacheShape::Index::modulo, CacheShape::Policy::least_recent, 16); }

/// Two edges are where the curve is flat between, and higher than before the first.
bool may_be_two_edges(const FitCurves& curves, double first_log2, double second_log2) {
  if (second_log2 - first_log2 > octaves_of_two_edges) return false;
  const double before_ns = std::exp(log_ns_near(curves.cycle, first_log2 - 0.7));
  const auto between = [&](const FitPoint& point) {
    return point.log2_bytes > first_log2 && point.log2_bytes < second_log2 + 0.25;
  };
  const std::vector<double> flat = flat_latencies_of(curves.cycle, nearly_flat_log_ns, between);
  return std::ranges::any_of(flat, [&](double ns) { return ns > least_step_of_a_level * before_ns; });
}

/// A hierarchy with one cache more, wherever and of whatever kind that may be. A cache whose slow climb stood for two
/// edges keeps its place when the nearer one gets a cache of its own, unless it becomes sharp at the same time.
std::vector<FittedHierarchy> with_one_more(const FittedHierarchy& before, const FitCurves& curves) {
  std::vector<FittedHierarchy> starts;
  const std::vector<const CacheShape*> shapes = exploring_shapes();
  const double last = curves.cycle.back().log2_bytes;
  for (double at = curves.cycle.front().log2_bytes + 0.25; at < last; at += insertion_step_octaves) {
    const auto next =
        static_cast<std::size_t>(std::ranges::upper_bound(before.log2_bytes, at) - before.log2_bytes.begin());
    const bool sharpen = next < before.shapes.size() && may_be_two_edges(curves, at, before.log2_bytes[next]);
    for (const CacheShape* shape : shapes) {
      starts.push_back(with_cache(before, at, *shape, curves));
      if (!sharpen) continue;
      FittedHierarchy sharp = starts.back();
      sharp.shapes[next + 1] = &sharp_shape();
      starts.push_back(sharp);
    }
  }
  return starts;
}

}  // namespace

FittedHierarchy without_cache(const FittedHierarchy& hierarchy, std::size_t cache) {
  FittedHierarchy after = hierarchy;
  const auto place = static_cast<std::ptrdiff_t>(cache);
  after.log2_bytes.erase(after.log2_bytes.begin() + place);
  after.shapes.erase(after.shapes.begin() + place);
  after.log_ns.erase(after.log_ns.begin() + place);
  after.drift.erase(after.drift.begin() + place);
  after.offset_ns.erase(after.offset_ns.begin() + place);
  return after;
}

FittedHierarchy search_hierarchy(const FitCurves& curves) {
  FittedHierarchy best{
      .log2_bytes = {}, .shapes = {}, .log_ns = {curves.cycle.front().log_ns}, .drift = {0}, .offset_ns = {0}};
  best = fit(curves, best);
  const double points = static_cast<double>(curves.cycle.size() + curves.independent.size());
  const double evidence = evidence_factor * 3 * std::log(points);
  while (best.log2_bytes.size() < most_caches) {
    FittedHierarchy found;
    found.cost = std::numeric_limits<double>::infinity();
    const std::vector<FittedHierarchy> starts = with_one_more(best, curves);
    const std::vector<FittedHierarchy> all =
        in_parallel(starts.size(), [&](std::size_t i) { return fit(curves, starts[i], 8); });
    for (const FittedHierarchy& tried : all) {
      if (tried.cost < found.cost && plausible(tried, curves)) found = tried;
    }
    // Where a curve is far from explained, a further cache may help only once all have other shapes: one that climbs
    // slowly stood for two. It has to explain the curve then, for of what scatters any step explains some.
    const bool better = found.cost < best.cost - evidence;
    if (found.log2_bytes.empty() || (!better && best.cost < points)) break;
    choose_shapes(curves, found);
    const FittedHierarchy polished = fit(curves, found);
    if (plausible(polished, curves)) found = polished;
    if (!plausible(found, curves) || (!better && found.cost > explained_cost * points)) break;
    best = found;
  }
  // A cache that helped early may have become useless once others were there.
  for (std::size_t cache = best.log2_bytes.size(); cache-- > 0;) {
    FittedHierarchy fewer = fit(curves, without_cache(best, cache));
    if (fewer.cost > best.cost + hopeless * evidence) continue;
    choose_shapes(curves, fewer);
    if (fewer.cost < best.cost + evidence) best = fewer;
  }
  // What may not be believed goes, however well it fits: the cheapest to lose first.
  while (!best.log2_bytes.empty() && !believable(best, curves)) {
    FittedHierarchy cheapest;
    cheapest.cost = std::numeric_limits<double>::infinity();
    for (std::size_t cache = 0; cache < best.log2_bytes.size(); ++cache) {
      FittedHierarchy fewer = fit(curves, without_cache(best, cache));
      choose_shapes(curves, fewer);
      if (fewer.cost < cheapest.cost) cheapest = fewer;
    }
    // The shape that fits best may leave a level no size of its own where another, that fits worse, shows it.
    const FittedHierarchy other = believable_by_another_shape(best, curves);
    best = other.cost < cheapest.cost - evidence ? other : cheapest;
  }
  return best;
}

std::optional<FittedHierarchy> with_one_edge_for_two(const FittedHierarchy& hierarchy, const FitCurves& curves) {
  for (std::size_t cache = 0; cache + 1 < hierarchy.log2_bytes.size(); ++cache) {
    const double apart = hierarchy.log2_bytes[cache + 1] - hierarchy.log2_bytes[cache];
    if (apart >= octaves_of_a_climb) continue;
    if (std::exp2(hierarchy.log2_bytes[cache]) <= lines_within_a_page * curves.line_bytes) continue;
    if (!flat_latencies(hierarchy, curves, cache + 1).empty()) continue;
    if (is_level(hierarchy, curves, cache) == is_level(hierarchy, curves, cache + 1)) continue;
    FittedHierarchy merged = without_cache(hierarchy, cache + 1);
    merged.log2_bytes[cache] += apart / 2;
    merged.shapes[cache] = &typical_hashed_shape();
    FittedHierarchy fitted = fit(curves, merged);
    // Left alone, a cache may go to where nothing was measured.
    if (within_sweep(fitted, curves)) return fitted;
  }
  return std::nullopt;
}

}  // namespace sonde::analysis
