#include "analysis/hits_alone.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/cache_shapes.hpp"
#include "analysis/hierarchy_search.hpp"

namespace sonde::analysis {
namespace {

/// Smaller caches are indexed within a page, so that the cycle's edge is theirs; in few sets chance would speak.
constexpr double few_lines = 2048;
constexpr std::ptrdiff_t least_points = 4;
/// About a cache's size, where its hits are looked at.
constexpr double octaves_of_hits_below = 0.5;
constexpr double octaves_of_hits_beyond = 2.4;
/// How far from a cache's size the cycle may still show its edge: where its lines come in pairs, or some are kept from
/// replacement, it hits at four times the size.
constexpr double octaves_of_an_edge_below = 1.5;
constexpr double octaves_of_an_edge_beyond = 2.1;
constexpr double silent_sigma = 1;
/// About its neighbours' sizes a level is not seen alone; so many points have to be left of it.
constexpr double octaves_of_mixture = 0.4;
constexpr std::ptrdiff_t least_seen = 2;
/// And so far beyond the edge the next level has to last, or what is seen of it is its own end and what translation
/// adds there, which would count as misses.
constexpr double least_octaves_beyond = 1;
/// 4 %: closer than this the hits alone know no size.
constexpr double octaves_that_agree = 0.057;
/// 8 %: how well they do on simulated caches, and what others have of a real one.
constexpr double octaves_known = 0.11;
/// So far beyond the edge of the last cache memory is looked at.
constexpr double octaves_of_memory = 2;
constexpr int fewest_ways = 4;
constexpr int most_ways = 32;

/// The hierarchy's levels alone, without the climbs that a fit of edges needed. `cache` follows its own.
FittedHierarchy levels_of(const FittedHierarchy& fitted, const FitCurves& curves, std::size_t& cache) {
  FittedHierarchy levels = fitted;
  for (std::size_t other = fitted.log2_bytes.size(); other-- > 0;) {
    if (other == cache || is_level(fitted, curves, other)) continue;
    levels = without_cache(levels, other);
    if (other < cache) --cache;
  }
  return levels;
}

std::ptrdiff_t points_between(const std::vector<FitPoint>& curve, double low_log2, double high_log2) {
  return std::ranges::count_if(
      curve, [&](const FitPoint& point) { return point.log2_bytes > low_log2 && point.log2_bytes < high_log2; });
}

}  // namespace

std::optional<Bracket> size_by_hits_alone(const FitCurves& curves, const FittedHierarchy& fitted, std::size_t cache,
                                          double said_bytes, bool scattered) {
  const double size = fitted.log2_bytes[cache];
  const bool last = is_last(fitted, curves, cache);
  FittedHierarchy levels = levels_of(fitted, curves, cache);
  const CacheShape& own_shape = *levels.shapes[cache];
  const auto points = points_between(curves.independent, size - octaves_of_hits_below, size + octaves_of_hits_beyond);
  if (points < least_points || std::exp2(size) <= few_lines * curves.line_bytes) return std::nullopt;
  // The levels on both sides have to be seen where the cycle's edge is far away.
  const double beyond_all = size + octaves_of_an_edge_beyond + octaves_of_memory;
  const double next =
      last ? std::min(curves.cycle.back().log2_bytes, beyond_all) + octaves_of_mixture : levels.log2_bytes[cache + 1];
  const double before = cache == 0 ? curves.cycle.front().log2_bytes : levels.log2_bytes[cache - 1];
  const double beyond = size + octaves_of_an_edge_beyond;
  if (points_between(curves.cycle, before + octaves_of_mixture, size - octaves_of_an_edge_below) < least_seen ||
      points_between(curves.cycle, beyond, next - octaves_of_mixture) < least_seen ||
      next - octaves_of_mixture < beyond + least_octaves_beyond)
    return std::nullopt;
  FitCurves told = curves;
  // Memory has no latency of its own for all sizes, but two doublings of it climb evenly.
  if (last) {
    for (std::vector<FitPoint>* curve : {&told.cycle, &told.independent})
      std::erase_if(*curve, [&](const FitPoint& point) { return point.log2_bytes > beyond_all; });
  }
  for (FitPoint& point : told.cycle) {
    if (point.log2_bytes > size - octaves_of_an_edge_below && point.log2_bytes < size + octaves_of_an_edge_beyond)
      point.sigma = silent_sigma;
  }
  // Far from the edge the cycle tells how much the next level climbs, as a CPU's third cache does with its distance:
  // taken for flat it would be too slow near the edge, and the misses there too few.
  std::ranges::fill(levels.drift, 0.0);
  levels.drift_scale = 1;
  levels.offset_sigma = different_offsets;
  levels = fit(told, levels);
  const auto with_shape = [&](const CacheShape& shape) {
    FittedHierarchy one = levels;
    one.shapes[cache] = &shape;
    return fit(told, one);
  };
  // What makes a cycle tell another size makes it tell another shape: the hits choose among those of chance.
  std::vector<FittedHierarchy> fits;
  for (const CacheShape& shape : cache_shapes()) {
    if (shape.index() == CacheShape::Index::hashed && shape.policy() == CacheShape::Policy::least_recent &&
        shape.ways() >= fewest_ways && shape.ways() <= most_ways)
      fits.push_back(with_shape(shape));
  }
  const FittedHierarchy best = *std::ranges::min_element(fits, {}, &FittedHierarchy::cost);
  const FittedHierarchy own = with_shape(own_shape);
  const auto agrees = [&](double log2_bytes) {
    return std::abs(own.log2_bytes[cache] - log2_bytes) < octaves_that_agree;
  };
  const double tolerated = tolerated_cost(best, told);
  const bool own_shape_is_theirs = own.cost <= best.cost + tolerated;
  if (!scattered && own_shape_is_theirs && agrees(size) && agrees(std::log2(said_bytes))) return std::nullopt;
  const Bracket bytes = size_over(fits, best, cache, tolerated);
  const double known = std::exp2(octaves_known);
  return Bracket{bytes.low / known, bytes.value, bytes.high * known};
}

}  // namespace sonde::analysis
