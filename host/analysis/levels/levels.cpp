#include "analysis/levels/levels.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <span>

#include "analysis/levels/fit_points.hpp"
#include "analysis/levels/hierarchy_refine.hpp"
#include "analysis/levels/hierarchy_search.hpp"
#include "analysis/levels/in_parallel.hpp"
#include "analysis/levels/size_from_hit_rate.hpp"
#include "analysis/levels/translation.hpp"

namespace sonde::analysis {
namespace {

constexpr std::size_t bootstrap_rounds = 40;
/// Sets are whole numbers and so are lines: no size is claimed to be known better than this.
constexpr double least_relative_error = 0.01;
/// A curve turns up where it climbs by this share of the step per doubling, looked at over so many doublings.
constexpr double turn_slope = 0.15;
constexpr double turn_window_octaves = 0.15;
/// Of a cache of so few, chance makes the cycle's edge wander.
constexpr double few_sets = 256;
/// An onset between neighbours no further apart than this speaks for the capacity itself.
constexpr double narrow_onset = 1.08;
constexpr double onset_agrees = 1.1;
/// A cycle that does so much of a step over so little of a size does it at a cache's end: where each set takes the same
/// lines, all of them overflow together.
constexpr double sharp_share = 0.5;
constexpr double sharp_ratio = 1.15;
constexpr double least_foot = 1.05;  // of the end, over the onset
/// Working set over cache where a cycle misses half: 1 if the least recently used goes, ln 2 / 0.5 if any may.
constexpr double half_missed_at_random = 1.39;
/// ln 2: where each line has one place, which chance gives it. In every other cache later.
constexpr double half_missed_at_the_earliest = 0.69;
/// Laps that fell by no more than this had next to nothing left to fall by: what is forgotten at a constant rate has
/// its square left.
constexpr double as_good_as_settled = 0.02;
constexpr double served_nearly_alone = 0.985;  // share of accesses
constexpr double served_mostly = 0.7;          // share of accesses
constexpr double most_step_of_translation = 1.25;
constexpr double climb_of_memory = 1.05;
constexpr double surely_held = 0.3;  // of the nearest cache
constexpr std::size_t least_points_for_a_scatter = 5;
/// So many standard deviations above its level a point has left it.
constexpr double scatters = 3;
/// One that lies so many more above it is seen to have left, whatever its own scatter; a step's end is seen anyway.
constexpr double surely_seen = 2;
constexpr double end_of_a_step = 0.9;
/// So many values of the points that tell a size may have been taken beside neighbours, in the mean; of more, the cache
/// may be larger by what a core's second hardware thread takes of it, a half in the end. It may be smaller:
/// they slow the walk down where it hits, too, which hides the beginning of a step. What was seen to fit holds.
constexpr double smt_interference_of_a_sure_size = 0.1;
constexpr double most_taken_by_smt_interference = 0.5;
constexpr double most_hidden_by_smt_interference = 0.15;

double log2_of(double value) { return std::log2(value); }

double median_ns(const CurvePoint& point) { return summarize(point.values).median; }

/// Points of a fit with the scatter that they may have had as well: each keeps the median of its repetitions drawn
/// again, and its distance to the fit, to either side (the wild bootstrap).
std::vector<FitPoint> resampled(const std::vector<CurvePoint>& curve, const std::vector<FitPoint>& points,
                                const std::function<double(double)>& fitted_ns, std::mt19937_64& random) {
  std::vector<FitPoint> sample = points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<double> values = curve[i].values;
    for (double& value : values) value = curve[i].values[random() % curve[i].values.size()];
    const double log_fitted = std::log(fitted_ns(points[i].log2_bytes));
    const double distance = points[i].log_ns - log_fitted;
    sample[i].log_ns = log_fitted + (random() % 2 == 0 ? distance : -distance) +
                       std::log(summarize(values).median / median_ns(curve[i]));
  }
  return sample;
}

FitCurves resampled(const LatencyCurves& curves, const FitCurves& points, const FittedHierarchy& fitted,
                    std::mt19937_64& random) {
  return {.cycle = resampled(
              curves.cycle, points.cycle, [&](double at) { return cyclic_ns(fitted, at); }, random),
          .independent = resampled(
              curves.independent, points.independent, [&](double at) { return independent_ns(fitted, at); }, random),
          .line_bytes = points.line_bytes};
}

FitCurves fit_curves(const LatencyCurves& curves) {
  return {.cycle = fit_points(curves.cycle, curves.line_bytes, errors_of_cycle),
          .independent = fit_points(curves.independent, curves.line_bytes, errors_of_independent),
          .line_bytes = curves.line_bytes};
}

/// How far the points that one level nearly alone serves lie from it: their median distance as a standard deviation,
/// relative. 0 where there are few.
double scatter_of_plateau(const LatencyCurves& curves, const FittedHierarchy& fitted, std::size_t level) {
  std::vector<double> distances;
  for (const CurvePoint& point : curves.cycle) {
    const double at = log2_of(point.bytes);
    if (cyclic_share(fitted, level, at) < served_nearly_alone) continue;
    distances.push_back(std::abs(median_ns(point) / level_ns(fitted, level, at) - 1));
  }
  return distances.size() < least_points_for_a_scatter ? 0 : quantile(distances, 0.5) / 0.6745;
}

/// Where the measured cycle curve has done `share` of the step after `level`, between the sizes of the two points
/// around it; sizes outside this transition are not looked at.
struct Crossing {
  double below = 0;
  double above = 0;
};
Crossing crossing(const LatencyCurves& curves, const FittedHierarchy& fitted, std::size_t level, double share) {
  const double low_ns = std::exp(fitted.log_ns[level]);
  const double high_ns = std::exp(fitted.log_ns[level + 1]);
  const double from = level == 0 ? -1e9 : fitted.log2_bytes[level - 1];
  const double to = level + 1 < fitted.log2_bytes.size() ? fitted.log2_bytes[level + 1] : 1e9;
  const double middle = fitted.log2_bytes[level];
  // From the middle of the transition outwards: an onset is the last point below the share, an end the first above,
  // so a single disturbed point far away does not move it.
  const double noise = scatters * scatter_of_plateau(curves, fitted, level);
  const auto reached = [&](const CurvePoint& point, double wanted) {
    // The drift of the level itself is not the step, nor is what its points scatter by.
    const double octaves = level == 0 ? 0 : std::max(0.0, log2_of(point.bytes) - fitted.log2_bytes[level - 1]);
    const double base = low_ns * (1 + std::max(0.0, fitted.drift[level]) * octaves);
    const double step = std::max(high_ns - base, 0.02 * base);
    return median_ns(point) - base >= std::max(wanted * step, std::min(noise * base, 0.5 * step));
  };
  std::vector<const CurvePoint*> window;
  for (const CurvePoint& point : curves.cycle) {
    const double at = log2_of(point.bytes);
    if (at > (from + middle) / 2 && at < (middle + to) / 2) window.push_back(&point);
  }
  if (level == 0) {
    window.clear();
    for (const CurvePoint& point : curves.cycle) {
      if (log2_of(point.bytes) < (middle + to) / 2) window.push_back(&point);
    }
  }
  // One disturbed point is not half a step: the next has to agree.
  const auto past_the_middle = [&](std::size_t index) {
    return reached(*window[index], 0.5) && (index + 1 >= window.size() || reached(*window[index + 1], 0.5));
  };
  std::size_t at = 0;
  while (at < window.size() && log2_of(window[at]->bytes) < middle) ++at;
  while (at > 0 && at < window.size() && past_the_middle(at) && past_the_middle(at - 1)) --at;
  while (at < window.size() && !past_the_middle(at)) ++at;
  while (at < window.size() && at > 0 && reached(*window[at - 1], share)) --at;
  while (at < window.size() && !reached(*window[at], share)) ++at;
  if (at < window.size()) return {.below = window[at > 0 ? at - 1 : at]->bytes, .above = window[at]->bytes};
  // Not reached before the next transition takes over: at the end of what was looked at.
  const double last = window.empty() ? std::exp2(middle) : window.back()->bytes;
  return {.below = last, .above = last};
}

/// Sizes of a cycle that has lost a share of its accesses to a cache's misses, over the cache's own size.
double over_the_size(const CacheShape& shape, double missed) {
  double low = -1;
  double high = 2;
  while (high - low > 1e-4) {
    const double middle = (low + high) / 2;
    (shape.cyclic_miss(middle) < missed ? low : high) = middle;
  }
  return std::exp2(low);
}

/// The share of the step beyond a cache that is sure to show among what its points scatter by: `crossing` asks for
/// three standard deviations, and a point that has as much lies below by two of them now and then.
double share_that_shows(const LatencyCurves& curves, const FittedHierarchy& fitted, std::size_t cache, double share) {
  const double base = level_ns(fitted, cache, fitted.log2_bytes[cache]);
  const double step = std::max(level_ns(fitted, cache + 1, fitted.log2_bytes[cache]) - base, 0.02 * base);
  const double scatter = scatter_of_plateau(curves, fitted, cache) * base / step;
  const double asked = std::max(share, std::min(scatters * scatter, 0.5));
  return asked > share ? std::min(asked + surely_seen * scatter, end_of_a_step) : share;
}

/// The size at which the cycle begins the larger part of its step, where it does that at once. What it missed before
/// are lines of those sets in which something else is kept, as a driver's own data are.
std::optional<double> sharp_end(const LatencyCurves& curves, const FittedHierarchy& fitted, std::size_t level) {
  const double from = crossing(curves, fitted, level, 0.5).below;
  const double to = crossing(curves, fitted, level, 0.9).above;
  if (to <= from || to > sharp_ratio * from) return std::nullopt;
  const auto ns_at = [&](double bytes) {
    return median_ns(*std::ranges::find(curves.cycle, bytes, &CurvePoint::bytes));
  };
  const double step = std::exp(fitted.log_ns[level + 1]) - std::exp(fitted.log_ns[level]);
  return ns_at(to) - ns_at(from) >= sharp_share * step ? std::optional(from) : std::nullopt;
}

/// The last size before the curve turns up for good: from the middle of the step down for as long as it is steep. A
/// slow climb before an edge, or a disturbed point, is not the edge.
Crossing turn_up(const LatencyCurves& curves, const FittedHierarchy& fitted, std::size_t level,
                 const Crossing& middle) {
  const std::vector<CurvePoint>& cycle = curves.cycle;
  const double step = std::exp(fitted.log_ns[level + 1]) - std::exp(fitted.log_ns[level]);
  std::size_t above = 0;
  while (above + 1 < cycle.size() && cycle[above].bytes < middle.above) ++above;
  const auto steep = [&](std::size_t at) {
    std::size_t from = at;
    while (from > 0 && log2_of(cycle[at].bytes / cycle[from].bytes) < turn_window_octaves) --from;
    const double octaves = std::max(log2_of(cycle[at].bytes / cycle[from].bytes), 0.02);
    return median_ns(cycle[at]) - median_ns(cycle[from]) > turn_slope * step * octaves;
  };
  while (above > 1 && steep(above - 1)) --above;
  return {.below = cycle[above > 0 ? above - 1 : 0].bytes, .above = cycle[above].bytes};
}

/// The settled points from a size on of which a level serves at least so much.
std::vector<CurvePoint> served_by(const LatencyCurves& curves, const FittedHierarchy& fitted, std::size_t level,
                                  double least_share, double from_bytes) {
  std::vector<CurvePoint> points;
  for (const CurvePoint& point : curves.cycle) {
    if (point.settling > as_good_as_settled || point.bytes < from_bytes) continue;
    if (cyclic_share(fitted, level, log2_of(point.bytes)) >= least_share) points.push_back(point);
  }
  return points;
}

std::vector<double> medians_ns(std::span<const CurvePoint> points) {
  std::vector<double> medians;
  for (const CurvePoint& point : points) medians.push_back(median_ns(point));
  return medians;
}

/// The least working set that tells memory's latency. Where the points that the fit gives it climb, translation taken
/// out, and are not flat where most of them are, the last cache fades more slowly than any formula: then only the last
/// doubling of sizes tells.
double told_of_memory_from(const LatencyCurves& curves, const FittedHierarchy& fitted, const FitCurves& points) {
  const std::size_t memory = fitted.log2_bytes.size();
  const double last_doubling = curves.cycle.back().bytes / 2.001;
  const std::vector<double> last = medians_ns(served_by(curves, fitted, memory, served_nearly_alone, last_doubling));
  if (last.size() < 2) return 0;
  const double usual = quantile(medians_ns(served_by(curves, fitted, memory, served_nearly_alone, 0)), 0.5);
  const bool flat = std::ranges::any_of(flat_latencies(fitted, points, memory), [&](double ns) {
    return ns < climb_of_memory * usual && usual < climb_of_memory * ns;
  });
  return !flat && quantile(last, 0.5) > climb_of_memory * usual ? last_doubling : 0;
}

/// What a curve ends in, also where laps still fell and nobody knows how far they would have. Of a point of one lap
/// nothing is known: then what the one before it has.
double at_the_end_ns(const std::vector<CurvePoint>& cycle) {
  const auto last =
      std::find_if(cycle.rbegin(), cycle.rend(), [](const CurvePoint& point) { return point.settling < 1; });
  return last == cycle.rend() ? 0 : median_ns(*last);
}

/// A plateau as it was measured: the points from a size on that this level nearly alone serves, without what the fit
/// says that others add to them.
Bracket plateau_ns(const LatencyCurves& curves, const RefinedHierarchy& refined_hierarchy, std::size_t level,
                   const std::vector<FittedHierarchy>& bootstrap, double from_bytes) {
  const FittedHierarchy& fitted = refined_hierarchy.hierarchy;
  std::vector<double> medians;
  const auto without_others = [&](const CurvePoint& point) {
    const double at = log2_of(point.bytes);
    return median_ns(point) * level_ns(fitted, level, at) / cyclic_ns(fitted, at);
  };
  for (const CurvePoint& point : curves.cycle) {
    const double at = log2_of(point.bytes);
    if (point.settling > as_good_as_settled || point.bytes < from_bytes) continue;
    if (cyclic_share(fitted, level, at) >= served_nearly_alone) {
      medians.push_back(without_others(point));
    } else if (level == 0 && !fitted.log2_bytes.empty() && at < fitted.log2_bytes[0] + log2_of(surely_held)) {
      // So few lines overfill hardly a set, whatever a formula says of their mean.
      medians.push_back(median_ns(point));
    }
  }
  std::vector<double> fits{std::exp(fitted.log_ns[level])};
  for (const FittedHierarchy& one : bootstrap) fits.push_back(std::exp(one.log_ns[level]));
  Bracket bracket{quantile(fits, 0.025), fits.front(), quantile(fits, 0.975)};
  const double by_cycle = std::exp(refined_hierarchy.by_cycle.log_ns[level]);
  if (refined_hierarchy.misfit > 1) {
    // Of two that contradict each other the walk whose latency it is says more: the other adds arithmetic.
    bracket = {std::min(by_cycle, bracket.low), by_cycle, std::max(by_cycle, bracket.high)};
  }
  if (medians.size() >= 3) {
    const Interval interval = median_interval(medians);
    bracket = {interval.low, quantile(medians, 0.5), interval.high};
  } else if (level + 1 == fitted.log_ns.size()) {
    // A sweep may end before memory is alone. The fit knows memory at its start and without translation; those points
    // that it mostly serves have both. What is left of their mixture is not made larger than what was measured.
    const std::vector<CurvePoint> points = served_by(curves, fitted, level, served_mostly, from_bytes);
    std::vector<double> mostly;
    for (const CurvePoint& point : points) mostly.push_back(without_others(point));
    if (!mostly.empty()) {
      bracket.value = std::min(quantile(mostly, 0.5), quantile(medians_ns(points), 1));
      bracket.low = std::min({bracket.low, quantile(mostly, 0), bracket.value});
      bracket.high = std::max(bracket.high, quantile(mostly, 1));
    }
  }
  bracket.low = std::min(bracket.low, bracket.value * 0.995);
  bracket.high = std::max(bracket.high, bracket.value * 1.005);
  return bracket;
}

/// Of several of the fit's levels that are one, none of them flat: what most of the points have that they alone serve.
/// Nothing where those are few.
std::optional<Bracket> climb_ns(const LatencyCurves& curves, const FittedHierarchy& fitted, std::size_t first,
                                std::size_t last) {
  std::vector<double> medians;
  for (const CurvePoint& point : curves.cycle) {
    double share = 0;
    for (std::size_t level = first; level <= last; ++level) share += cyclic_share(fitted, level, log2_of(point.bytes));
    if (share >= served_nearly_alone) medians.push_back(median_ns(point));
  }
  if (medians.size() < 3) return std::nullopt;
  return Bracket{quantile(medians, 0.1), quantile(medians, 0.5), quantile(medians, 0.9)};
}

/// A capacity over every shape that explains the curves nearly as well, each with a say by its likelihood, and the
/// range of all.
Bracket over_shapes(const RefinedHierarchy& refined_hierarchy, const FitCurves& points, const FittedHierarchy& fitted,
                    std::size_t cache) {
  const double tolerated = tolerated_cost(refined_hierarchy.hierarchy, refined_hierarchy.curves);
  std::vector<FittedHierarchy> shapes = alternatives(points, fitted, cache, refined_hierarchy.scattered, tolerated);
  // A cache that holds the whole sweep has no edge in it.
  const double most_log2 = std::max(fitted.log2_bytes[cache], points.cycle.back().log2_bytes);
  std::erase_if(shapes, [&](const FittedHierarchy& other) { return other.log2_bytes[cache] > most_log2; });
  return size_over(shapes, fitted, cache, tolerated);
}

/// `bracket`: what the shapes say.
Bracket capacity(const LatencyCurves& curves, const RefinedHierarchy& refined_hierarchy, std::size_t cache,
                 const std::vector<FittedHierarchy>& bootstrap, Bracket bracket) {
  const FittedHierarchy& fitted = refined_hierarchy.hierarchy;
  std::vector<double> sizes;
  for (const FittedHierarchy& one : bootstrap) sizes.push_back(std::exp2(one.log2_bytes[cache]));
  bracket.low = std::min(bracket.low, quantile(sizes, 0.025));
  bracket.high = std::max(bracket.high, quantile(sizes, 0.975));
  const double sets = std::exp2(fitted.log2_bytes[cache]) / curves.line_bytes / fitted.shapes[cache]->ways();
  if (refined_hierarchy.misfit > 1 && sets > few_sets) {
    // Each kind of access is biased in its own way: the truth lies between. Of few sets the cycle tells least.
    const Bracket by_cycle =
        over_shapes(refined_hierarchy, cycle_alone(refined_hierarchy.curves), refined_hierarchy.by_cycle, cache);
    bracket = {std::min(bracket.low, by_cycle.low), std::sqrt(bracket.value * by_cycle.value),
               std::max(bracket.high, by_cycle.high)};
    // A further level may hide in a wide transition, and then all of it is explained by a cache larger than it is. What
    // the walk has shown to fit is the least that holds.
    bracket.low = std::min(bracket.low, crossing(curves, fitted, cache, 0.05).below);
  }
  // Both together may be sure of what the walk alone has otherwise.
  const double by_cycle = std::exp2(refined_hierarchy.by_cycle.log2_bytes[cache]);
  if (!curves.independent.empty() && sets > few_sets) {
    bracket.low = std::min(bracket.low, by_cycle);
    bracket.high = std::max(bracket.high, by_cycle);
  }
  const double value = bracket.value;
  const bool hashed = fitted.shapes[cache]->index() == CacheShape::Index::hashed;
  // How far the formulas are off, worst where replacement is random and walks settle slowly.
  const bool random_policy = fitted.shapes[cache]->policy() == CacheShape::Policy::random;
  const double formula = random_policy ? 0.03 : hashed ? 0.01 : 0;
  // Where lines fall into sets by chance, few sets of many ways are moved most; into a single set all fall.
  const double share_of_a_set = std::min(1.0, std::max(8, fitted.shapes[cache]->ways()) / (value / curves.line_bytes));
  const double placement = formula + (hashed ? 0.25 * std::sqrt(share_of_a_set * (1 - share_of_a_set)) : 0);
  bracket.low = std::min(bracket.low, value * (1 - least_relative_error - placement));
  bracket.high = std::max(bracket.high, value * (1 + least_relative_error + placement));

  const Crossing onset = crossing(curves, fitted, cache, 0.05);
  const std::optional<double> end = sharp_end(curves, fitted, cache);
  if (refined_hierarchy.misfit > 1 && end && *end > value && *end > least_foot * onset.above)
    return {bracket.low, *end, std::max(bracket.high, crossing(curves, fitted, cache, 0.9).above)};
  const Crossing middle = crossing(curves, fitted, cache, 0.5);
  if (!curves.independent.empty() && refined_hierarchy.scattered[cache] && sets > few_sets) {
    // Where pages lie by chance the slope does not tell the policy.
    bracket.low = std::min(bracket.low, middle.below / half_missed_at_random);
    bracket.high = std::max(bracket.high, middle.above);
  }
  if (!curves.independent.empty() && !hashed && !refined_hierarchy.scattered[cache] &&
      onset.above <= onset.below * narrow_onset) {
    // Neighbouring lines in neighbouring sets: every line fits up to the capacity, whatever the policy, and not beyond.
    // A random policy reaches 5 % of the step only 3 % later, and where the points scatter more of it is hidden.
    const double shown = share_that_shows(curves, fitted, cache, 0.05);
    const double low = onset.below / over_the_size(*fitted.shapes[cache], shown);
    const double high = onset.above;
    // Where one of the curves speaks against it, a few sets filled early: pages that the system placed unevenly.
    for (const double said :
         {value, std::exp2(fitted.log2_bytes[cache]), std::exp2(refined_hierarchy.by_cycle.log2_bytes[cache])}) {
      if (said > high * onset_agrees || said < low / onset_agrees) return bracket;
    }
    if (bracket.low > high || bracket.high < low)
      return {std::min(low, bracket.low), value, std::max(high, bracket.high)};
    return {low * (1 - least_relative_error), std::clamp(value, low, high), high * (1 + least_relative_error)};
  }
  if (curves.independent.empty()) {
    // The cycle alone cannot tell policy from capacity: the onset is what can be used for certain.
    const Crossing turn = turn_up(curves, fitted, cache, middle);
    bracket.value = turn.below;
    bracket.low = std::min({bracket.low, onset.below, turn.below * (1 - least_relative_error)});
    bracket.high = std::max({bracket.high, turn.above, middle.above});
  }
  return bracket;
}

/// The largest size up to which no point is slower than a level by what would be a level of its own.
double held_bytes(const LatencyCurves& curves, double level_ns, double from_log2) {
  double held = 0;
  for (const CurvePoint& point : curves.cycle) {
    if (log2_of(point.bytes) <= from_log2) continue;
    if (median_ns(point) > large_step * level_ns) break;
    held = point.bytes;
  }
  return held;
}

/// Mean share of the values about a cache's size, up to where a quarter of independent accesses hits it, that were
/// taken beside neighbours.
double smt_interference_about(const LatencyCurves& curves, double bytes) {
  double sum = 0;
  int count = 0;
  for (const std::vector<CurvePoint>* curve : {&curves.cycle, &curves.independent}) {
    for (const CurvePoint& point : *curve) {
      if (point.bytes < bytes / 2 || point.bytes > 4 * bytes) continue;
      sum += point.smt_interference;
      ++count;
    }
  }
  return count == 0 ? 0 : sum / count;
}

/// Whether the step beyond a cache lies where translation begins to cost as much: what is left of an edge that the walk
/// with one line a page has shown. Only what it adds about there counts: on CPUs the ends of several tables, and what
/// is kept of them, make up one climb over many sizes.
bool is_translation(const FittedHierarchy& fitted, std::size_t cache, const std::vector<TranslationEdge>& edges) {
  const double bytes = std::exp2(fitted.log2_bytes[cache]);
  const double step =
      level_ns(fitted, cache + 1, fitted.log2_bytes[cache]) - level_ns(fitted, cache, fitted.log2_bytes[cache]);
  constexpr double about = 4;
  return std::ranges::any_of(edges, [&](const TranslationEdge& edge) {
    const double added_ns = added_ns_at(edge, about * bytes) - added_ns_at(edge, bytes / about);
    return bytes > 0.7 * edge.bytes && bytes < 2 * edge.reach_bytes && step < 1.25 * added_ns;
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
    const bool begins_there = std::ranges::any_of(edges, [&](const TranslationEdge& edge) {
      return std::exp2(at) > 0.7 * edge.bytes && std::exp2(at) < 2 * edge.reach_bytes;
    });
    if (!begins_there || !is_level(fitted, points, cache)) continue;
    FittedHierarchy fewer = fit(points, without_cache(fitted, cache));
    if (level_count(fewer, points) + 1 == level_count(fitted, points)) return fewer;
  }
  return std::nullopt;
}

/// Without points that no latency can be read from, the others multiplied.
LatencyCurves scaled(LatencyCurves curves, double factor) {
  for (std::vector<CurvePoint>* curve : {&curves.cycle, &curves.independent, &curves.page}) {
    std::erase_if(*curve, [](const CurvePoint& point) { return point.values.empty() || median_ns(point) <= 0; });
    for (CurvePoint& point : *curve) {
      for (double& value : point.values) value *= factor;
    }
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

Hierarchy find_scaled_levels(const LatencyCurves& measured, std::uint64_t seed) {
  Hierarchy hierarchy;
  hierarchy.translation = translation_edges(measured);
  const LatencyCurves curves = without_translation(measured, hierarchy.translation);
  const FitCurves measured_points = fit_curves(curves);
  RefinedHierarchy refined_hierarchy = refined(measured_points, search_hierarchy(cycle_alone(measured_points)));
  const auto cycle = [](const RefinedHierarchy& one) { return cycle_alone(one.curves); };
  while (const auto fewer = with_one_edge_for_two(refined_hierarchy.by_cycle, cycle(refined_hierarchy)))
    refined_hierarchy = refined(measured_points, *fewer);
  const std::vector<TranslationEdge> edges = translation_edges(measured, faint_edge);
  const auto less_translation = [&](const RefinedHierarchy& one) {
    return without_hidden_translation(one.by_cycle, cycle(one), edges);
  };
  if (const auto fewer = less_translation(refined_hierarchy)) {
    const RefinedHierarchy again = refined(measured_points, *fewer);
    // Where it comes back, or takes a level with it, it was more than that.
    const bool same_levels = level_count(again.by_cycle, cycle(again)) >= level_count(*fewer, cycle(refined_hierarchy));
    if (same_levels && !less_translation(again)) refined_hierarchy = again;
  }
  const FittedHierarchy& fitted = refined_hierarchy.hierarchy;
  const FitCurves& points = refined_hierarchy.curves;

  const std::vector<FittedHierarchy> bootstrap = in_parallel(bootstrap_rounds, [&](std::size_t round) {
    std::mt19937_64 random(seed + (std::uint64_t{round} << 32));
    return fit(resampled(curves, points, fitted, random), fitted, 6);
  });
  std::size_t first = 0;  // of the fit's levels that make up one: those after it are climbs
  for (std::size_t level = 0; level < fitted.log_ns.size(); ++level) {
    if (level < fitted.log2_bytes.size() &&
        (!is_level(fitted, points, level) || is_translation(fitted, level, hierarchy.translation))) {
      continue;
    }
    Level one;
    // The first that is flat speaks for all: the others are climbs. Of memory it is the last, beyond every mixture.
    const bool memory = level + 1 == fitted.log_ns.size();
    const std::optional<std::size_t> flat = memory ? level : first_flat(fitted, points, first, level);
    const std::size_t plateau_level = flat.value_or(level);
    const bool climbs = first < level && !flat;
    const auto passed = climbs ? climb_ns(measured, fitted, first, level) : std::nullopt;
    const double from_bytes = memory ? told_of_memory_from(curves, fitted, points) : 0;
    one.latency_ns = passed ? *passed : plateau_ns(measured, refined_hierarchy, plateau_level, bootstrap, from_bytes);
    // A last level without an end holds what the curve ends in, even where that is a climb.
    if (memory) one.latency_ns.high = std::max(one.latency_ns.high, at_the_end_ns(measured.cycle));
    if (level < fitted.log2_bytes.size()) {
      const Bracket by_shapes = over_shapes(refined_hierarchy, points, fitted, level);
      one.fitted_bytes = by_shapes.value;
      one.bytes = capacity(curves, refined_hierarchy, level, bootstrap, by_shapes);
      // Steps too small or too steep to be levels lie between: what the cycle alone has shown to fit is what it held.
      if (curves.independent.empty() && first < level && flat) {
        const double from = plateau_level == 0 ? 0 : fitted.log2_bytes[plateau_level - 1];
        const double held = held_bytes(curves, one.latency_ns.value, from);
        if (held > 0 && held < one.bytes->value)
          one.bytes = {std::min(one.bytes->low, held * (1 - least_relative_error)), held, one.bytes->high};
      }
      // As they were measured: a contradiction may have made the refined ones weigh less.
      const FitCurves hits{
          .cycle = points.cycle, .independent = measured_points.independent, .line_bytes = points.line_bytes};
      const bool in_doubt =
          !hits.independent.empty() && (refined_hierarchy.scattered[level] || refined_hierarchy.misfit > 1);
      if (const auto reading = size_from_hit_rate(hits, fitted, level, one.bytes->value, in_doubt)) {
        // What memory takes longer with every doubling counts as misses, while the walk's edge is late wherever a cache
        // keeps some lines from replacement: before memory the truth lies between. Where the walk says less, it has
        // taken the late edge for that of a cache that replaces at random.
        const double by_cycle = std::exp2(refined_hierarchy.by_cycle.log2_bytes[level]);
        const double late = std::max(reading->value, by_cycle);
        const double value = is_last(fitted, points, level) ? std::sqrt(reading->value * late) : reading->value;
        one.bytes = {std::min(one.bytes->low, reading->low), value, std::max({one.bytes->high, reading->high, value})};
      }
      const Crossing onset = crossing(curves, fitted, level, 0.05);
      const Crossing end = crossing(curves, fitted, level, 0.95);
      // Whatever a cache's shape, half of a cycle over little more than its size misses it.
      const Crossing middle = crossing(curves, fitted, level, 0.5);
      if (middle.below < middle.above) {
        const double most = std::max(middle.above / half_missed_at_the_earliest, one.bytes->low);
        one.bytes->value = std::min(one.bytes->value, most);
        one.bytes->high = std::min(one.bytes->high, std::max(most, (1 + least_relative_error) * one.bytes->value));
      }
      if (smt_interference_about(curves, one.bytes->value) > smt_interference_of_a_sure_size) {
        one.bytes->high = std::max(one.bytes->high, one.bytes->value / (1 - most_taken_by_smt_interference));
        one.bytes->low =
            std::min({one.bytes->low, one.bytes->value * (1 - most_hidden_by_smt_interference), onset.below});
      }
      // Points that scatter by half of a small step show no onset: it is where the fit has it.
      const bool found = onset.below < onset.above;
      one.onset_bytes = found ? std::sqrt(onset.below * onset.above) : std::min(onset.below, one.bytes->value);
      one.end_bytes = std::max(one.onset_bytes, std::sqrt(end.below * end.above));
    }
    first = level + 1;
    hierarchy.levels.push_back(one);
  }
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
  const double unit = median_ns(curves.cycle.front());
  Hierarchy hierarchy = find_scaled_levels(scaled(curves, 1 / unit), seed);
  for (Level& level : hierarchy.levels) {
    for (double* ns : {&level.latency_ns.low, &level.latency_ns.value, &level.latency_ns.high}) *ns *= unit;
  }
  for (TranslationEdge& edge : hierarchy.translation) edge.added_ns *= unit;
  return hierarchy;
}

}  // namespace sonde::analysis
