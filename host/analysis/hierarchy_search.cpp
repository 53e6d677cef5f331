#include "analysis/hierarchy_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "analysis/in_parallel.hpp"

namespace sonde::analysis {
namespace {

constexpr double steepness_window_octaves = 0.12;
constexpr double slowed_window_octaves = 0.5;
constexpr double tolerated_excess = 0.03;
constexpr std::size_t most_caches = 7;
constexpr double insertion_step_octaves = 0.5;
constexpr double octaves_of_two_edges = 2.5;
/// What a further cache must lower the cost by, in units of log(points) for each of its three parameters. Schwarz's
/// criterion has 1; residuals that formulas leave are not independent, so more is asked.
constexpr double evidence_factor = 2.5;
/// So much more evidence against a fit is not made up for by other shapes.
constexpr double hopeless = 8;
/// A point that a level serves by so much, at a latency so near to the level's, shows it.
constexpr double own_share = 0.85;
constexpr double flat_log_ns = 0.04;
constexpr double nearly_as_good = 6;
constexpr double explained_cost = 0.6;  // of each point
constexpr double penalty_of_unseen = 2;
constexpr double tolerated_strain = 2;  // cost that each independent point adds
/// Less of a step than this says nothing of a transition, nor do fewer points.
constexpr double least_share_of_a_transition = 0.03;
constexpr std::size_t least_points_for_a_scatter = 5;
constexpr double few_lines = 512;
constexpr double nearly_no_drift = 0.1;
constexpr double evidence_of_a_rise = 0.5;  // for each level
/// How far beyond a cache its hits are looked at where no other cache follows, and at least.
constexpr double octaves_of_hits = 3;
constexpr double least_octaves_of_hits = 2.4;
constexpr double sigma_of_hits = 0.004;
constexpr double octaves_of_chance = 1.5;
constexpr double share_of_a_plateau = 0.99;
constexpr double least_sigma_of_a_plateau = 0.003;
constexpr double most_sigma_of_a_plateau = 0.011;
constexpr double large_scatter = 1.5;
/// How far the arithmetic's cost may differ between levels, as a share of their latency.
constexpr double same_offsets = 0.005;
constexpr double different_offsets = 0.1;
/// A step that the fit may use, one that may be a level where the curve is flat on both sides, and one that needs no
/// such proof.
constexpr double least_step = 1.04;
constexpr double least_step_of_a_level = 1.12;
constexpr double large_step = 1.45;
/// A stretch is flat that rises no more than this over at least so much.
constexpr double flat_rise_log_ns = 0.025;
constexpr double flat_octaves = 0.49;
constexpr double nearly_flat_log_ns = 0.06;  // enough to try what may be there

/// Latency beyond a cache over that before it, both where it is full: what a level drifts is no step.
double step_ratio(const FittedHierarchy& hierarchy, std::size_t cache) {
  const double at = hierarchy.log2_bytes[cache];
  return level_ns(hierarchy, cache + 1, at) / level_ns(hierarchy, cache, at);
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

std::size_t parameter_count(const FittedHierarchy& hierarchy) {
  return hierarchy.log2_bytes.size() + 2 * hierarchy.log_ns.size();
}

/// Whether each level beyond a large step was seen by itself: points of the cycle curve at its latency. The foot of a
/// climb that the sweep or the next level cuts off is none. A level between others that shows nowhere by itself, because
/// their transitions overlap, is believed only where the formulas explain the whole curve.
bool seen(const FittedHierarchy& hierarchy, const FitCurves& curves) {
  const double points_of_curve = static_cast<double>(curves.cycle.size());
  const bool explained = hierarchy.cost < explained_cost * points_of_curve &&
                         points_of_curve >= 3 * static_cast<double>(parameter_count(hierarchy));
  for (std::size_t level = 1; level < hierarchy.log_ns.size(); ++level) {
    if (step_ratio(hierarchy, level - 1) < large_step) continue;
    if (explained && level + 1 < hierarchy.log_ns.size()) continue;
    int points = 0;
    for (const FitPoint& point : curves.cycle) {
      if (cyclic_share(hierarchy, level, point.log2_bytes) < own_share) continue;
      const double flat = std::log(level_ns(hierarchy, level, point.log2_bytes));
      if (std::abs(point.log_ns - flat) < flat_log_ns) ++points;
    }
    if (points < 2) return false;
  }
  return true;
}

/// Median of what was seen about a size, for a start value.
double log_ns_near(const std::vector<FitPoint>& points, double log2_bytes) {
  const auto nearest = std::ranges::min_element(points, {}, [&](const FitPoint& point) {
    return std::abs(point.log2_bytes - log2_bytes);
  });
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

FittedHierarchy without_cache(const FittedHierarchy& before, std::size_t cache) {
  FittedHierarchy after = before;
  const auto place = static_cast<std::ptrdiff_t>(cache);
  after.log2_bytes.erase(after.log2_bytes.begin() + place);
  after.shapes.erase(after.shapes.begin() + place);
  after.log_ns.erase(after.log_ns.begin() + place);
  after.drift.erase(after.drift.begin() + place);
  after.offset_ns.erase(after.offset_ns.begin() + place);
  return after;
}

/// Few shapes that are far apart, to find where a cache is; which one it is comes later.
std::vector<const CacheShape*> exploring_shapes() {
  std::vector<const CacheShape*> chosen;
  for (const CacheShape& shape : cache_shapes()) {
    const bool hashed = shape.index() == CacheShape::Index::hashed;
    const bool least_recent = shape.policy() == CacheShape::Policy::least_recent;
    if (hashed && least_recent && (shape.ways() == 4 || shape.ways() == 32 || shape.ways() == 512)) chosen.push_back(&shape);
    if (hashed && !least_recent && shape.ways() == 16) chosen.push_back(&shape);
  }
  return chosen;
}

const CacheShape& shape_of_16_ways(CacheShape::Index index) {
  return *std::ranges::find_if(cache_shapes(), [=](const CacheShape& shape) {
    return shape.index() == index && shape.policy() == CacheShape::Policy::least_recent && shape.ways() == 16;
  });
}
const CacheShape& typical_hashed_shape() { return shape_of_16_ways(CacheShape::Index::hashed); }
const CacheShape& sharp_shape() { return shape_of_16_ways(CacheShape::Index::modulo); }

/// Latencies in ns of the stretches over which the points that `counts` names hardly rise, by size.
std::vector<double> flat_stretches_of(const std::vector<FitPoint>& points, double most_rise_log_ns,
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
  const std::vector<double> flat = flat_stretches_of(curves.cycle, nearly_flat_log_ns, between);
  return std::ranges::any_of(flat, [&](double ns) { return ns > least_step_of_a_level * before_ns; });
}

/// A hierarchy with one cache more, wherever and of whatever kind that may be. A cache whose slow climb stood for two
/// edges keeps its place when the nearer one gets a cache of its own, unless it becomes sharp at the same time.
std::vector<FittedHierarchy> with_one_more(const FittedHierarchy& before, const FitCurves& curves) {
  std::vector<FittedHierarchy> starts;
  const std::vector<const CacheShape*> shapes = exploring_shapes();
  const double last = curves.cycle.back().log2_bytes;
  for (double at = curves.cycle.front().log2_bytes + 0.25; at < last; at += insertion_step_octaves) {
    const auto next = static_cast<std::size_t>(std::ranges::upper_bound(before.log2_bytes, at) - before.log2_bytes.begin());
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

/// The cost of a fit, more where it has a level that was not seen: a shape that climbs slowly can stand for a plateau that
/// the curve has, at a latency that it has not.
double score(const FittedHierarchy& hierarchy, const FitCurves& curves) {
  return hierarchy.cost * (seen(hierarchy, curves) ? 1 : penalty_of_unseen);
}

/// Whether a cache may have a shape: one whose points scatter has its lines placed by chance, not in turn.
bool allowed(const CacheShape& shape, const std::vector<bool>& scattered, std::size_t cache) {
  return cache >= scattered.size() || !scattered[cache] || shape.index() == CacheShape::Index::hashed;
}

/// Tries every allowed shape for one cache after the other, as long as that helps.
void choose_shapes(const FitCurves& curves, FittedHierarchy& hierarchy, const std::vector<bool>& scattered = {}) {
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
        if (score(other, curves) < score(hierarchy, curves) - 0.01 && (plausible(other, curves) || !plausible(hierarchy, curves))) {
          hierarchy = other;
          changed = true;
        }
      }
    }
    if (!changed) return;
  }
}

/// How much the curve changes about a point, per octave: the range of all neighbours within a window, so that a curve
/// that goes up and down is known as little as one that rises.
double steepness_at(const std::vector<FitPoint>& points, std::size_t i) {
  std::size_t from = i > 0 ? i - 1 : i;
  std::size_t to = std::min(i + 1, points.size() - 1);
  const double here = points[i].log2_bytes;
  while (from > 0 && here - points[from - 1].log2_bytes < steepness_window_octaves) --from;
  while (to + 1 < points.size() && points[to + 1].log2_bytes - here < steepness_window_octaves) ++to;
  double low = points[i].log_ns;
  double high = low;
  for (std::size_t j = from; j <= to; ++j) {
    low = std::min(low, points[j].log_ns);
    high = std::max(high, points[j].log_ns);
  }
  return (high - low) / std::max(points[to].log2_bytes - points[from].log2_bytes, 0.1);
}

/// How far a point lies above what a larger working set takes, which is what it was slowed by: a larger one is not
/// faster. The machine may change between points, so the repetitions of one do not show this.
double slowed_by(const std::vector<FitPoint>& points, std::size_t i) {
  double least = points[i].log_ns;
  for (std::size_t j = i + 1; j < points.size(); ++j) {
    if (points[j].log2_bytes - points[i].log2_bytes > slowed_window_octaves && j > i + 2) break;
    least = std::min(least, points[j].log_ns);
  }
  const double excess = points[i].log_ns - least;
  return excess > tolerated_excess ? excess : 0;
}

/// The caches of a fit to the cycle alone, fitted to all curves.
FittedHierarchy fit_to_all(const FitCurves& curves, const FittedHierarchy& start, const std::vector<bool>& scattered) {
  FittedHierarchy hierarchy = start;
  // About ten instructions, or what the smallest footprint shows.
  const double first_ns = std::exp(curves.independent.front().log_ns) - independent_ns(start, curves.independent.front().log2_bytes);
  std::ranges::fill(hierarchy.offset_ns, std::max(first_ns, 0.1 * std::exp(start.log_ns[0])));
  const auto with_offsets = [&](double sigma) {
    FittedHierarchy one = hierarchy;
    one.offset_sigma = sigma;
    one = fit(curves, one);
    choose_shapes(curves, one, scattered);
    return fit(curves, one);
  };
  // A GPU does one thing after the other, so the arithmetic costs every level the same; a CPU that runs ahead hides
  // some of it behind one level and not behind another. The latter only where the curves ask for it.
  const FittedHierarchy same = with_offsets(same_offsets);
  const FittedHierarchy different = with_offsets(different_offsets);
  const double points = static_cast<double>(curves.cycle.size() + curves.independent.size());
  const double evidence = static_cast<double>(start.log2_bytes.size()) * std::log(points);
  return score(different, curves) < score(same, curves) - evidence_factor * evidence ? different : same;
}

/// Gives the points of each cache's transition the scatter that chance lets them have in a hashed cache of so few sets,
/// and what more they have about a fit. Where a system places a working
/// set page by page, chance makes some sets fill early and others late, so that neighbouring sizes differ by far more
/// than repetitions of one do; as a share of accesses it is alike along the transition, most in its middle.
/// Tells of each cache whether it was so.
std::vector<bool> add_scatter(FitCurves& curves, const FittedHierarchy& fitted) {
  std::vector<bool> result(fitted.log2_bytes.size(), false);
  for (std::size_t cache = 0; cache < fitted.log2_bytes.size(); ++cache) {
    std::vector<double> scatter;
    std::vector<double> expected;
    struct Place {
      std::size_t point;
      double relative;  // of latency, for the whole step
    };
    std::vector<Place> places;
    const double lines = std::exp2(fitted.log2_bytes[cache]) / curves.line_bytes;
    const double deviation = 1 / std::sqrt(std::max(1.0, lines / fitted.shapes[cache]->ways()));
    const auto chance_of = [&](double log2_rho) {
      if (lines > few_lines) return deviation * fitted.shapes[cache]->deviation_of_a_set(log2_rho);
      double most = 0;
      for (const CacheShape& shape : cache_shapes()) {
        if (shape.index() == CacheShape::Index::modulo) continue;
        most = std::max(most, shape.deviation_of_a_set(log2_rho) / std::sqrt(std::max(1.0, lines / shape.ways())));
      }
      return most;
    };
    for (std::size_t i = 0; i < curves.cycle.size(); ++i) {
      const FitPoint& point = curves.cycle[i];
      const double here = cyclic_share(fitted, cache, point.log2_bytes);
      const double beyond = cyclic_share(fitted, cache + 1, point.log2_bytes);
      const double shape = 2 * std::sqrt(std::max(0.0, here * beyond));
      if (here < least_share_of_a_transition || beyond < least_share_of_a_transition) continue;
      const double latency = cyclic_ns(fitted, point.log2_bytes);
      const double step = level_ns(fitted, cache + 1, point.log2_bytes) - level_ns(fitted, cache, point.log2_bytes);
      const double relative = step * shape / latency;
      if (relative <= 0) continue;
      const double chance = chance_of(point.log2_bytes - fitted.log2_bytes[cache]);
      curves.cycle[i].sigma = std::max(point.sigma, step * chance / latency);
      scatter.push_back(std::abs(point.log_ns - std::log(latency)) / relative);
      expected.push_back(point.sigma / relative);
      places.push_back({i, relative});
    }
    if (places.size() < least_points_for_a_scatter) continue;
    const double seen = quantile(scatter, 0.5) / 0.6745;
    const double known = quantile(expected, 0.5);
    if (seen <= known) continue;
    const double more = std::sqrt(seen * seen - known * known);
    result[cache] = seen > large_scatter * known;
    for (const Place& place : places) {
      double& sigma = curves.cycle[place.point].sigma;
      sigma = std::hypot(sigma, more * place.relative);
    }
  }
  return result;
}

/// Independent accesses tell the size of a cache of few lines best: far beyond it every set is full, whatever lines chance
/// gave it, and their hits are what it holds. Only nearer does chance count.
void sharpen_beyond_few_lines(FitCurves& curves, const FittedHierarchy& fitted) {
  for (std::size_t cache = 0; cache < fitted.log2_bytes.size(); ++cache) {
    const double from = fitted.log2_bytes[cache];
    const bool last = cache + 1 == fitted.log2_bytes.size();
    const double to = last ? from + octaves_of_hits : (from + fitted.log2_bytes[cache + 1]) / 2;
    const double lines = std::exp2(from) / curves.line_bytes;
    if (lines > few_lines) continue;
    for (FitPoint& point : curves.independent) {
      if (point.log2_bytes < from || point.log2_bytes > std::max(to, from + least_octaves_of_hits)) continue;
      const double step = level_ns(fitted, cache + 1, point.log2_bytes) - level_ns(fitted, cache, point.log2_bytes);
      const double chance = typical_hashed_shape().independent_deviation_of_a_set(point.log2_bytes - from) /
                            std::sqrt(std::max(1.0, lines / typical_hashed_shape().ways()));
      const double sharp = std::hypot(point.spread, sigma_of_hits, step * chance / independent_ns(fitted, point.log2_bytes));
      point.sigma = std::min(point.sigma, sharp);
    }
  }
}

/// Where one level serves all, no formula errs: how far the points of a plateau differ from it is what they are known to.
void sharpen_plateaus(FitCurves& curves, const FittedHierarchy& fitted) {
  for (std::size_t level = 0; level < fitted.log_ns.size(); ++level) {
    std::vector<std::size_t> points;
    std::vector<double> distances;
    for (std::size_t i = 0; i < curves.cycle.size(); ++i) {
      const FitPoint& point = curves.cycle[i];
      if (cyclic_share(fitted, level, point.log2_bytes) < share_of_a_plateau || point.sigma > most_sigma_of_a_plateau) continue;
      points.push_back(i);
      distances.push_back(std::abs(point.log_ns - std::log(level_ns(fitted, level, point.log2_bytes))));
    }
    if (points.size() < least_points_for_a_scatter) continue;
    const double sigma = std::max(quantile(distances, 0.5) / 0.6745, least_sigma_of_a_plateau);
    for (const std::size_t i : points) curves.cycle[i].sigma = std::min(curves.cycle[i].sigma, sigma);
  }
}

/// Lets the cycle say nothing of where caches of few lines end, wherever the fits have them. False where there are none.
bool forget_edges_of_few_lines(FitCurves& curves, std::initializer_list<FittedHierarchy> fits) {
  bool any = false;
  for (const FittedHierarchy& fitted : fits) {
    for (const double log2_bytes : fitted.log2_bytes) {
      if (std::exp2(log2_bytes) > few_lines * curves.line_bytes) continue;
      for (FitPoint& point : curves.cycle) {
        if (std::abs(point.log2_bytes - log2_bytes) > octaves_of_chance) continue;
        point.sigma = 1;
        any = true;
      }
    }
  }
  return any;
}

}  // namespace

std::vector<FitPoint> fit_points(std::span<const CurvePoint> curve, double line_bytes, const FormulaErrors& errors) {
  std::vector<FitPoint> points;
  for (const CurvePoint& point : curve) {
    const Summary values = summarize(point.values);
    if (values.count == 0 || values.median <= 0) continue;
    // Half the quartile range is 0.6745 standard deviations; the median of n has 1.2533 / sqrt(n) of one.
    const double deviation = (values.upper_quartile - values.lower_quartile) / 2 / 0.6745;
    const double error = 1.2533 * deviation / std::sqrt(static_cast<double>(values.count)) / values.median;
    const double spread = std::hypot(error, errors.settling * point.settling);
    points.push_back({std::log2(point.bytes), std::log(values.median), spread, spread});
  }
  std::vector<double> slowed;
  for (std::size_t i = 0; i < points.size(); ++i) slowed.push_back(slowed_by(points, i));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double steepness = steepness_at(points, i);
    const double lines = std::exp2(points[i].log2_bytes) / line_bytes;
    const double octaves = errors.octaves + errors.octaves_of_one_line / std::sqrt(std::max(1.0, lines));
    points[i].sigma = std::hypot(std::hypot(points[i].sigma, 2 * slowed[i]), errors.log_ns, octaves * steepness);
  }
  return points;
}

FittedHierarchy search_hierarchy(const FitCurves& curves) {
  FittedHierarchy best{.log2_bytes = {}, .shapes = {}, .log_ns = {curves.cycle.front().log_ns}, .drift = {0}, .offset_ns = {0}};
  best = fit(curves, best);
  const double points = static_cast<double>(curves.cycle.size() + curves.independent.size());
  const double evidence = evidence_factor * 3 * std::log(points);
  while (best.log2_bytes.size() < most_caches) {
    FittedHierarchy found;
    found.cost = std::numeric_limits<double>::infinity();
    const std::vector<FittedHierarchy> starts = with_one_more(best, curves);
    const std::vector<FittedHierarchy> all = in_parallel(starts.size(), [&](std::size_t i) { return fit(curves, starts[i], 8); });
    for (const FittedHierarchy& tried : all) {
      if (tried.cost < found.cost && plausible(tried, curves)) found = tried;
    }
    if (!(found.cost < best.cost - evidence)) break;
    choose_shapes(curves, found);
    const FittedHierarchy polished = fit(curves, found);
    if (plausible(polished, curves)) found = polished;
    if (!plausible(found, curves)) break;
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
  while (!best.log2_bytes.empty() && !(plausible(best, curves) && seen(best, curves))) {
    FittedHierarchy cheapest;
    cheapest.cost = std::numeric_limits<double>::infinity();
    for (std::size_t cache = 0; cache < best.log2_bytes.size(); ++cache) {
      FittedHierarchy fewer = fit(curves, without_cache(best, cache));
      choose_shapes(curves, fewer);
      if (fewer.cost < cheapest.cost) cheapest = fewer;
    }
    best = cheapest;
  }
  return best;
}

RefinedHierarchy refined(const FitCurves& all, const FittedHierarchy& start) {
  RefinedHierarchy result;
  result.curves = all;
  result.hierarchy = result.by_cycle = start;
  // Of the cycle alone the onset is the size: what scatters about a fit may be what the formulas do not know.
  if (all.independent.empty()) return result;
  FitCurves& curves = result.curves;
  result.scattered = add_scatter(curves, start);
  sharpen_beyond_few_lines(curves, start);
  sharpen_plateaus(curves, start);
  const FitCurves cycle = cycle_alone(curves);
  const auto with_drift = [&](double scale) {
    FittedHierarchy one = start;
    one.drift_scale = scale;
    one = fit(cycle, one);
    choose_shapes(cycle, one, result.scattered);
    return one;
  };
  // A plateau that rises is believed only where the curve asks for it: it could stand for another policy.
  const FittedHierarchy flat = with_drift(nearly_no_drift);
  const FittedHierarchy rising = with_drift(1);
  const double evidence = evidence_of_a_rise * static_cast<double>(start.log_ns.size());
  result.by_cycle = score(rising, cycle) < score(flat, cycle) - evidence ? rising : flat;
  // What levels there are was told from the points as they were; shapes that make one of what was none are not taken.
  if (!plausible(result.by_cycle, cycle) || !seen(result.by_cycle, cycle)) result.by_cycle = start;
  result.hierarchy = fit_to_all(curves, result.by_cycle, result.scattered);
  // Where both kinds of access contradict each other, something is not as the formulas have it. Of few lines it is
  // chance, which only the cycle is subject to.
  const auto strain = [&] {
    return (result.hierarchy.cost - result.by_cycle.cost) / static_cast<double>(curves.independent.size());
  };
  if (strain() >= tolerated_strain && forget_edges_of_few_lines(curves, {result.by_cycle, result.hierarchy})) {
    result.by_cycle = fit(cycle_alone(curves), result.by_cycle);
    result.hierarchy = fit_to_all(curves, result.by_cycle, result.scattered);
  }
  if (strain() < tolerated_strain) return result;
  // Otherwise the second knows less than it says (Birge's ratio).
  result.strain = strain();
  for (FitPoint& point : curves.independent) point.sigma *= std::sqrt(result.strain);
  result.hierarchy = fit_to_all(curves, result.by_cycle, result.scattered);
  return result;
}

double RefinedHierarchy::tolerated_cost() const {
  // Residuals that the formulas leave make every difference of cost larger than chance would.
  const double points = static_cast<double>(curves.cycle.size() + curves.independent.size());
  return nearly_as_good * std::max(1.0, hierarchy.cost / points);
}

std::vector<double> flat_stretches(const FittedHierarchy& hierarchy, const FitCurves& curves, std::size_t level) {
  return flat_stretches_of(curves.cycle, flat_rise_log_ns, [&](const FitPoint& point) {
    return cyclic_share(hierarchy, level, point.log2_bytes) >= own_share;
  });
}

bool is_level(const FittedHierarchy& hierarchy, const FitCurves& curves, std::size_t cache) {
  if (step_ratio(hierarchy, cache) >= large_step) return true;
  const std::vector<double> before = flat_stretches(hierarchy, curves, cache);
  const std::vector<double> beyond = flat_stretches(hierarchy, curves, cache + 1);
  return !before.empty() && !beyond.empty() && beyond.back() >= least_step_of_a_level * before.front();
}

std::vector<FittedHierarchy> alternatives(const FitCurves& curves, const FittedHierarchy& best, std::size_t cache,
                                          const std::vector<bool>& scattered, double tolerated_cost) {
  std::vector<FittedHierarchy> all{best};
  const std::span<const CacheShape> shapes = cache_shapes();
  const std::vector<FittedHierarchy> fits = in_parallel(shapes.size(), [&](std::size_t i) {
    if (!allowed(shapes[i], scattered, cache)) return best;
    FittedHierarchy other = best;
    other.shapes[cache] = &shapes[i];
    return fit(curves, other, 20);
  });
  for (const FittedHierarchy& other : fits) {
    if (other.shapes[cache] != best.shapes[cache] && other.cost < best.cost + tolerated_cost) all.push_back(other);
  }
  return all;
}

}  // namespace sonde::analysis
