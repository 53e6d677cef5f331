#include "analysis/levels/hierarchy_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>

#include "analysis/levels/in_parallel.hpp"
#include "analysis/statistics.hpp"

namespace sonde::analysis {
namespace {

constexpr std::size_t most_caches = 7;
constexpr double insertion_step_octaves = 0.5;
constexpr double octaves_of_two_edges = 2.5;
/// So much more evidence against a fit is not made up for by other shapes.
constexpr double hopeless = 8;
/// A point that a level serves by so much, at a latency so near to the level's, shows it.
constexpr double own_share = 0.85;
constexpr double flat_log_ns = 0.04;
constexpr double most_unsteady_log_ns = 0.25;
constexpr double explained_cost = 0.6;  // of each point
constexpr double penalty_of_unseen = 2;
/// A step that the fit may use, and one that may be a level where the curve is flat on both sides.
constexpr double least_step = 1.04;
constexpr double least_step_of_a_level = 1.12;
/// A cache that keeps what chance leaves it is left over so much of its size; on the way latencies scatter with the
/// pages that each working set got, and some look like a level between. One so near, with steps smaller than this, has
/// to be flat.
constexpr double octaves_of_a_climb = 2;
constexpr double step_beyond_scatter = 2;
/// A step rises so steeply over some doubling. Less is a climb, by address translation or distance, that a cache which
/// fades slowly imitates, however far it goes in the end.
constexpr double least_rise_of_a_step = 1.17;
/// A stretch is flat that rises no more than this over at least so much.
constexpr double flat_rise_log_ns = 0.025;
constexpr double flat_octaves = 0.49;
constexpr double nearly_as_good = 6;
constexpr double log_likelihood_tolerated = 3;
constexpr double nearly_flat_log_ns = 0.06;  // enough to try what may be there

/// Latency beyond a cache over that before it, both where it is full: what a level drifts is no step.
double step_ratio(const FittedHierarchy& hierarchy, std::size_t cache) {
  const double at = hierarchy.log2_bytes[cache];
  return level_ns(hierarchy, cache + 1, at) / level_ns(hierarchy, cache, at);
}

/// The most that a cache alone makes the latency of a cycle rise by over one doubling.
double steepest_rise(const FittedHierarchy& hierarchy, std::size_t cache) {
  const double step = step_ratio(hierarchy, cache);
  const auto latency = [&](double log2_share) {
    return 1 + (step - 1) * hierarchy.shapes[cache]->cyclic_miss(log2_share);
  };
  double steepest = 1;
  for (double at = -2; at <= 2; at += 0.125) steepest = std::max(steepest, latency(at + 1) / latency(at));
  return steepest;
}

/// Whether every cache is one that may be believed.
bool plausible(const FittedHierarchy& hierarchy, const FitCurves& curves) {
  const double first_log2 = curves.cycle.front().log2_bytes;
  const double last_log2 = curves.cycle.back().log2_bytes;
  for (std::size_t cache = 0; cache < hierarchy.log2_bytes.size(); ++cache) {
    if (step_ratio(hierarchy, cache) < least_step) return false;
    if (hierarchy.log2_bytes[cache] < first_log2 || hierarchy.log2_bytes[cache] > last_log2 - 0.2) return false;
    if (cache > 0 && hierarchy.log2_bytes[cache] - hierarchy.log2_bytes[cache - 1] < std::log2(least_size_ratio)) {
      return false;
    }
  }
  return true;
}

/// Whether the nearest cache serves nearly all of any point.
bool first_is_seen(const FittedHierarchy& hierarchy, const FitCurves& curves) {
  return std::ranges::any_of(
      curves.cycle, [&](const FitPoint& point) { return cyclic_share(hierarchy, 0, point.log2_bytes) >= own_share; });
}

std::size_t parameter_count(const FittedHierarchy& hierarchy) {
  return hierarchy.log2_bytes.size() + 2 * hierarchy.log_ns.size();
}

/// How far a curve falls where it falls, which only disturbances make it do. 0 of a climb, however steep.
double unsteadiness(std::span<const FitPoint> points) {
  std::vector<double> falls;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].log_ns < points[i - 1].log_ns) falls.push_back(points[i - 1].log_ns - points[i].log_ns);
  }
  return falls.empty() ? 0 : std::min(quantile(falls, 0.5), most_unsteady_log_ns);
}

/// Whether each level beyond a large step was seen by itself: points of the cycle curve at its latency. The foot of a
/// climb that the sweep or the next level cuts off is none. A level between others that shows nowhere by itself,
/// because their transitions overlap, is believed only where the formulas explain the whole curve.
bool seen(const FittedHierarchy& hierarchy, const FitCurves& curves) {
  const double points_of_curve = static_cast<double>(curves.cycle.size());
  const bool explained = hierarchy.cost < explained_cost * points_of_curve &&
                         points_of_curve >= 3 * static_cast<double>(parameter_count(hierarchy));
  for (std::size_t level = 1; level < hierarchy.log_ns.size(); ++level) {
    if (step_ratio(hierarchy, level - 1) < large_step) continue;
    if (explained && level + 1 < hierarchy.log_ns.size()) continue;
    std::vector<FitPoint> served;
    std::ranges::copy_if(curves.cycle, std::back_inserter(served), [&](const FitPoint& point) {
      return cyclic_share(hierarchy, level, point.log2_bytes) >= own_share;
    });
    const double flat = std::max(flat_log_ns, unsteadiness(served));
    const auto points = std::ranges::count_if(served, [&](const FitPoint& point) {
      return std::abs(point.log_ns - std::log(level_ns(hierarchy, level, point.log2_bytes))) < flat;
    });
    if (points < 2) return false;
  }
  return true;
}

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

/// Latencies in ns of the stretches over which the points that `counts` names hardly rise, by size.
std::vector<double> flat_latencies_of(const std::vector<FitPoint>& points, double most_rise_log_ns,
                                      const std::function<bool(const FitPoint&)>& counts) {
  std::vector<double> found;
  for (std::size_t first = 0; first < points.size(); ++first) {
    double low = points[first].log_ns;
    double high = low;
    for (std::size_t last = first; last < points.size() && counts(points[last]); ++last) {
      low = std::min(low, points[last].log_ns);
      high = std::max(high, points[last].log_ns);
      if (high - low > most_rise_log_ns) break;
      if (last >= first + 2 && points[last].log2_bytes - points[first].log2_bytes >= flat_octaves) {
        found.push_back(std::exp((low + high) / 2));
        break;
      }
    }
  }
  return found;
}

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

/// Whether a cache may have a shape: one whose points scatter has its lines placed by chance, not in turn.
bool allowed(const CacheShape& shape, const std::vector<bool>& scattered, std::size_t cache) {
  return cache >= scattered.size() || !scattered[cache] || shape.index() == CacheShape::Index::hashed;
}

/// The best of the fits with another shape of one cache that may be believed; a cost without end where none may.
FittedHierarchy believable_by_another_shape(const FittedHierarchy& hierarchy, const FitCurves& curves) {
  FittedHierarchy found;
  found.cost = std::numeric_limits<double>::infinity();
  const std::span<const CacheShape> shapes = cache_shapes();
  for (std::size_t cache = 0; cache < hierarchy.shapes.size(); ++cache) {
    const std::vector<FittedHierarchy> fits = in_parallel(shapes.size(), [&](std::size_t i) {
      FittedHierarchy other = hierarchy;
      other.shapes[cache] = &shapes[i];
      return fit(curves, other);
    });
    for (const FittedHierarchy& other : fits) {
      if (other.cost < found.cost && believable(other, curves)) found = other;
    }
  }
  return found;
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

bool believable(const FittedHierarchy& hierarchy, const FitCurves& curves) {
  return plausible(hierarchy, curves) && seen(hierarchy, curves);
}

double score(const FittedHierarchy& hierarchy, const FitCurves& curves) {
  return hierarchy.cost * (seen(hierarchy, curves) ? 1 : penalty_of_unseen);
}

void choose_shapes(const FitCurves& curves, FittedHierarchy& hierarchy, const std::vector<bool>& scattered) {
  const std::span<const CacheShape> shapes = cache_shapes();
  for (std::size_t cache = 0; cache < hierarchy.shapes.size(); ++cache) {
    if (allowed(*hierarchy.shapes[cache], scattered, cache)) continue;
    hierarchy.shapes[cache] = &typical_hashed_shape();
    hierarchy = fit(curves, hierarchy);
  }
  for (int round = 0; round < 3; ++round) {
    bool changed = false;
    for (std::size_t cache = 0; cache < hierarchy.shapes.size(); ++cache) {
      const std::vector<FittedHierarchy> fits = in_parallel(shapes.size(), [&](std::size_t i) {
        if (&shapes[i] == hierarchy.shapes[cache] || !allowed(shapes[i], scattered, cache)) return hierarchy;
        FittedHierarchy other = hierarchy;
        other.shapes[cache] = &shapes[i];
        return fit(curves, other, 12);
      });
      for (const FittedHierarchy& other : fits) {
        if (score(other, curves) < score(hierarchy, curves) - 0.01 &&
            (plausible(other, curves) || !plausible(hierarchy, curves))) {
          hierarchy = other;
          changed = true;
        }
      }
    }
    if (!changed) return;
  }
}

const CacheShape& typical_hashed_shape() {
  return shape_of(CacheShape::Index::hashed, CacheShape::Policy::least_recent, 16);
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

std::vector<double> flat_latencies(const FittedHierarchy& hierarchy, const FitCurves& curves, std::size_t level) {
  return flat_latencies_of(curves.cycle, flat_rise_log_ns, [&](const FitPoint& point) {
    return cyclic_share(hierarchy, level, point.log2_bytes) >= own_share;
  });
}

bool is_level(const FittedHierarchy& hierarchy, const FitCurves& curves, std::size_t cache) {
  // Nothing was seen of it but what the smallest sizes scatter.
  if (cache == 0 && !first_is_seen(hierarchy, curves)) return false;
  const double step = step_ratio(hierarchy, cache);
  const bool near = cache > 0 && hierarchy.log2_bytes[cache] - hierarchy.log2_bytes[cache - 1] < octaves_of_a_climb;
  // Of such a climb the first edge is the cache's; where that is none, this one is all there is.
  const double before_it = near ? step_ratio(hierarchy, cache - 1) : 0;
  const bool scatter = before_it >= large_step && std::min(step, before_it) < step_beyond_scatter;
  const std::vector<double> before = flat_latencies(hierarchy, curves, cache);
  if (scatter && before.empty()) return false;
  const std::vector<double> beyond = flat_latencies(hierarchy, curves, cache + 1);
  // What the fit makes of sizes that were not measured, or were disturbed, is no step where the curve shows none.
  if (!before.empty() && !beyond.empty() && beyond.back() <= before.front()) return false;
  if (step >= large_step && steepest_rise(hierarchy, cache) >= least_rise_of_a_step) return true;
  return !before.empty() && !beyond.empty() && beyond.back() >= least_step_of_a_level * before.front();
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
    return fit(curves, merged);
  }
  return std::nullopt;
}

bool is_last(const FittedHierarchy& hierarchy, const FitCurves& curves, std::size_t cache) {
  for (std::size_t next = cache + 1; next < hierarchy.log2_bytes.size(); ++next) {
    if (is_level(hierarchy, curves, next)) return false;
  }
  return true;
}

double tolerated_cost(const FittedHierarchy& best, const FitCurves& curves) {
  const double points = static_cast<double>(curves.cycle.size() + curves.independent.size());
  return nearly_as_good * std::max(1.0, best.cost / points);
}

Bracket size_over(const std::vector<FittedHierarchy>& fits, const FittedHierarchy& best, std::size_t cache,
                  double tolerated) {
  double weights = 0;
  double sum = 0;
  double low = best.log2_bytes[cache];
  double high = low;
  for (const FittedHierarchy& fit : fits) {
    if (fit.cost > best.cost + tolerated) continue;
    const double weight = std::exp(log_likelihood_tolerated * (best.cost - fit.cost) / tolerated);
    weights += weight;
    sum += weight * fit.log2_bytes[cache];
    low = std::min(low, fit.log2_bytes[cache]);
    high = std::max(high, fit.log2_bytes[cache]);
  }
  return {std::exp2(low), std::exp2(sum / weights), std::exp2(high)};
}

std::vector<FittedHierarchy> alternatives(const FitCurves& curves, const FittedHierarchy& best, std::size_t cache,
                                          const std::vector<bool>& scattered, double tolerated) {
  std::vector<FittedHierarchy> all{best};
  const std::span<const CacheShape> shapes = cache_shapes();
  const std::vector<FittedHierarchy> fits = in_parallel(shapes.size(), [&](std::size_t i) {
    if (!allowed(shapes[i], scattered, cache)) return best;
    FittedHierarchy other = best;
    other.shapes[cache] = &shapes[i];
    return fit(curves, other, 20);
  });
  for (const FittedHierarchy& other : fits) {
    if (other.shapes[cache] != best.shapes[cache] && other.cost < best.cost + tolerated) all.push_back(other);
  }
  return all;
}

}  // namespace sonde::analysis
