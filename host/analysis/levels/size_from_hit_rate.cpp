#include "analysis/levels/size_from_hit_rate.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/levels/cache_shapes.hpp"
#include "analysis/levels/hierarchy_search.hpp"
#include "analysis/levels/shape_choice.hpp"
#include "analysis/levels/step_evidence.hpp"

namespace sonde::analysis {
namespace {

constexpr std::ptrdiff_t least_points = 3;
/// What memory takes, no further cache bounds: of three points that are known to 1 % that leaves a size to chance by a
/// tenth. There they count only where all is in doubt.
constexpr std::ptrdiff_t least_points_before_memory = 4;
/// Beyond a cache's size, where its hits are looked at: less far none are missed for sure, and further out the next
/// level climbs where translation ends, which would count as misses.
constexpr double octaves_before_hits = 0.2;
constexpr double octaves_of_hits = 2;
/// And so far before the next cache ends, which misses some of them long before; nearer it is too near.
constexpr double octaves_before_the_next = 1;
constexpr double least_octaves_of_hits = 0.9;
/// How far below a cache's size the cycle may still show its edge.
constexpr double octaves_of_an_edge_below = 1.5;
/// Up to so far below, as few as so many points tell the latency of what hits: nearer it climbs with translation.
constexpr double octaves_of_a_climb_below = 3;
constexpr std::size_t enough_seen = 4;
constexpr double muted_sigma = 1;
/// About the sizes of the caches beside it a level is not seen alone; so many points have to be left of it.
constexpr double octaves_of_mixture = 0.4;
constexpr std::ptrdiff_t least_seen = 2;
/// How much levels may climb over so few sizes, of what they may over a whole curve. One that climbs by a tenth with
/// every doubling from the very edge on makes the size a tenth too large; allowed to, noise would be taken for climbs.
constexpr double drift_among_hits = 0.3;
/// 4 %: closer than this the hit rate knows no size.
constexpr double octaves_that_agree = 0.057;
/// 10 %: how well they do on simulated caches, and what others have of a real one.
constexpr double octaves_known = 0.14;
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

/// From which size on, as a logarithm, the cycle says nothing of a cache: of the level before it, which is seen alone
/// from `alone_from_log2` on, enough points are left if there are enough.
double silent_from_log2(const std::vector<FitPoint>& cycle, double alone_from_log2, double size_log2) {
  const double at_the_latest = size_log2 - octaves_of_an_edge_below;
  std::size_t seen = 0;
  for (const FitPoint& point : cycle) {
    if (point.log2_bytes > alone_from_log2 && ++seen == enough_seen)
      return std::min(at_the_latest, std::max(size_log2 - octaves_of_a_climb_below, point.log2_bytes));
  }
  return at_the_latest;
}

}  // namespace

std::optional<Bracket> size_from_hit_rate(const FitCurves& curves, const FittedHierarchy& fitted, std::size_t cache,
                                          double said_bytes, bool in_doubt) {
  const double size = fitted.log2_bytes[cache];
  FittedHierarchy levels = levels_of(fitted, curves, cache);
  const CacheShape& own_shape = *levels.shapes[cache];
  const bool last = cache + 1 == levels.log2_bytes.size();
  const double next = last ? curves.cycle.back().log2_bytes : levels.log2_bytes[cache + 1];
  const double hits_to = std::min(size + octaves_of_hits, next - octaves_before_the_next);
  // Of smaller caches the cycle's edge is theirs, and in few sets chance decides.
  if (hits_to < size + least_octaves_of_hits || std::exp2(size) <= lines_within_a_page * curves.line_bytes ||
      points_between(curves.independent, size + octaves_before_hits, hits_to) <
          (last && !in_doubt ? least_points_before_memory : least_points))
    return std::nullopt;
  // The level before has to be seen where the cycle's edge is far away.
  const double before = cache == 0 ? curves.cycle.front().log2_bytes : levels.log2_bytes[cache - 1];
  const double alone_from = before + octaves_of_mixture;
  if (points_between(curves.cycle, alone_from, size - octaves_of_an_edge_below) < least_seen) return std::nullopt;
  FitCurves muted = curves;
  const double silent_from = silent_from_log2(curves.cycle, alone_from, size);
  for (FitPoint& point : muted.cycle) {
    if (point.log2_bytes > silent_from && (last || point.log2_bytes < next - octaves_of_mixture))
      point.sigma = muted_sigma;
  }
  std::erase_if(muted.independent, [&](const FitPoint& point) { return point.log2_bytes > hits_to; });
  std::ranges::fill(levels.drift, 0.0);
  levels.drift_scale = drift_among_hits;
  levels.offset_sigma = different_offsets;
  levels = fit(muted, levels);
  const auto with_shape = [&](const CacheShape& shape) {
    FittedHierarchy one = levels;
    one.shapes[cache] = &shape;
    one = fit(muted, one);
    one.cost = cost_of_independent(one, muted);
    return one;
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
  const double tolerated =
      tolerated_cost(best, {.cycle = {}, .independent = muted.independent, .line_bytes = muted.line_bytes});
  const bool own_shape_is_theirs = own.cost <= best.cost + tolerated;
  if (!in_doubt && own_shape_is_theirs && agrees(size) && agrees(std::log2(said_bytes))) return std::nullopt;
  const Bracket bytes = size_over(fits, best, cache, tolerated);
  const double known = std::exp2(octaves_known);
  return Bracket{bytes.low / known, bytes.value, bytes.high * known};
}

}  // namespace sonde::analysis
