#include "analysis/levels/hierarchy_refine.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "analysis/levels/hierarchy_search.hpp"
#include "analysis/levels/shape_choice.hpp"
#include "analysis/levels/step_evidence.hpp"
#include "analysis/statistics.hpp"

namespace sonde::analysis {
namespace {

/// Less of a step than this says nothing of a transition, nor do fewer points.
constexpr double least_share_of_a_transition = 0.03;
constexpr std::size_t least_points_for_a_scatter = 5;
constexpr double few_lines = 512;
constexpr double evidence_of_a_rise = 0.5;  // for each level
constexpr double tolerated_misfit = 2;      // cost that each independent point adds
/// How far beyond a cache its hits are looked at where no other cache follows, and at least.
constexpr double octaves_of_hits = 3;
constexpr double least_octaves_of_hits = 2.4;
constexpr double sigma_of_hits = 0.004;
constexpr double octaves_of_chance = 1.5;
/// Further beyond few lines hardly a set holds its lines: of a hundred, chance leaves one or two more than it should.
constexpr double octaves_of_most_chance = 1;
constexpr double sigma_nearly_beyond = 0.02;
constexpr double share_of_a_plateau = 0.99;
constexpr double least_sigma_of_a_plateau = 0.003;
constexpr double most_sigma_of_a_plateau = 0.011;
constexpr double large_scatter = 1.5;

/// What is left of a set's deviation by chance in the mean of all sets of a cache with so many lines.
double over_all_sets(double deviation_of_a_set, double lines, const CacheShape& shape) {
  return deviation_of_a_set / std::sqrt(std::max(1.0, lines / shape.ways()));
}

/// By how much the level after a cache is slower.
double step_beyond(const FittedHierarchy& fitted, std::size_t cache, double log2_bytes) {
  return level_ns(fitted, cache + 1, log2_bytes) - level_ns(fitted, cache, log2_bytes);
}

/// Whether a cycle over so many bytes is served by both a cache and the level after it.
bool in_transition(const FittedHierarchy& fitted, std::size_t cache, double log2_bytes) {
  return std::min(cyclic_share(fitted, cache, log2_bytes), cyclic_share(fitted, cache + 1, log2_bytes)) >=
         least_share_of_a_transition;
}

/// The share of all accesses that chance moves past a cache, as a standard deviation. Where lines are few, its shape
/// tells little of that within its transition, and the most of all shapes is taken.
double chance_of_a_share(const FitCurves& curves, const FittedHierarchy& fitted, std::size_t cache, double log2_bytes,
                         double (CacheShape::*deviation_of_a_set)(double) const) {
  const double lines = std::exp2(fitted.log2_bytes[cache]) / curves.line_bytes;
  const double log2_rho = log2_bytes - fitted.log2_bytes[cache];
  const auto chance_of = [&](const CacheShape& shape) {
    return over_all_sets((shape.*deviation_of_a_set)(log2_rho), lines, shape);
  };
  const CacheShape& fitting = *fitted.shapes[cache];
  if (lines > few_lines || !in_transition(fitted, cache, log2_bytes)) return chance_of(fitting);
  double most = 0;
  for (const CacheShape& shape : cache_shapes()) {
    if (shape.index() == CacheShape::Index::hashed) most = std::max(most, chance_of(shape));
  }
  return most;
}

/// Chance puts more lines into some sets of a hashed cache than into others, differently for every placement. The first
/// sets to overflow are few: where they do, a point may miss the formulas by more than the points beside it show.
void allow_for_chance(FitCurves& curves, const FittedHierarchy& fitted) {
  for (std::size_t cache = 0; cache < fitted.log2_bytes.size(); ++cache) {
    const auto moved_ns = [&](double at, double (CacheShape::*deviation_of_a_set)(double) const) {
      return chance_of_a_share(curves, fitted, cache, at, deviation_of_a_set) * step_beyond(fitted, cache, at);
    };
    for (FitPoint& point : curves.cycle) {
      const double at = point.log2_bytes;
      point.sigma = std::max(point.sigma, moved_ns(at, &CacheShape::deviation_of_a_set) / cyclic_ns(fitted, at));
    }
    for (FitPoint& point : curves.independent) {
      const double at = point.log2_bytes;
      const double ns = moved_ns(at, &CacheShape::independent_deviation_of_a_set);
      point.sigma = std::max(point.sigma, ns / independent_ns(fitted, at));
    }
  }
}

/// The caches of a fit to the cycle alone, fitted to all curves.
FittedHierarchy fit_to_all(const FitCurves& curves, const FittedHierarchy& start, const std::vector<bool>& scattered) {
  FittedHierarchy hierarchy = start;
  // About ten instructions, or what the smallest footprint shows.
  const double first_ns =
      std::exp(curves.independent.front().log_ns) - independent_ns(start, curves.independent.front().log2_bytes);
  std::ranges::fill(hierarchy.offset_ns, std::max(first_ns, 0.1 * std::exp(start.log_ns[0])));
  const auto with_offsets = [&](double sigma) {
    FittedHierarchy one = hierarchy;
    one.offset_sigma = sigma;
    one = fit(curves, one);
    choose_shapes(curves, one, scattered);
    return fit(curves, one);
  };
  // As on a CPU only where the curves ask for it.
  const FittedHierarchy same = with_offsets(same_offsets);
  const FittedHierarchy different = with_offsets(different_offsets);
  const double points = static_cast<double>(curves.cycle.size() + curves.independent.size());
  const double evidence = static_cast<double>(start.log2_bytes.size()) * std::log(points);
  return score(different, curves) < score(same, curves) - evidence_factor * evidence ? different : same;
}

/// Gives the points of each cache's transition the scatter that they have about a fit beyond what they are known to.
/// Where a system places a working set page by page, chance makes some sets fill early and others late, so that
/// neighbouring sizes differ by far more than repetitions of one do; as a share of accesses it is alike along the
/// transition, most in its middle. Tells of each cache whether it was so.
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
    for (std::size_t i = 0; i < curves.cycle.size(); ++i) {
      const FitPoint& point = curves.cycle[i];
      const double at = point.log2_bytes;
      if (!in_transition(fitted, cache, at)) continue;
      const double shape = 2 * std::sqrt(cyclic_share(fitted, cache, at) * cyclic_share(fitted, cache + 1, at));
      const double latency = cyclic_ns(fitted, at);
      const double relative = step_beyond(fitted, cache, at) * shape / latency;
      if (relative <= 0) continue;
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

/// Independent accesses tell the size of a cache of few lines best: far beyond it every set is full, whatever lines
/// chance gave it, and their hits are what it holds. Only nearer does chance count.
void sharpen_beyond_few_lines(FitCurves& curves, const FittedHierarchy& fitted) {
  for (std::size_t cache = 0; cache < fitted.log2_bytes.size(); ++cache) {
    const double from = fitted.log2_bytes[cache];
    const bool last = cache + 1 == fitted.log2_bytes.size();
    const double to = last ? from + octaves_of_hits : (from + fitted.log2_bytes[cache + 1]) / 2;
    const double lines = std::exp2(from) / curves.line_bytes;
    if (lines > few_lines) continue;
    for (FitPoint& point : curves.independent) {
      if (point.log2_bytes < from || point.log2_bytes > std::max(to, from + least_octaves_of_hits)) continue;
      const double step = step_beyond(fitted, cache, point.log2_bytes);
      const CacheShape& hashed = typical_hashed_shape();
      const double chance =
          over_all_sets(hashed.independent_deviation_of_a_set(point.log2_bytes - from), lines, hashed);
      const double sharp =
          std::hypot(point.spread, sigma_of_hits, step * chance / independent_ns(fitted, point.log2_bytes));
      point.sigma = std::min(point.sigma, sharp);
    }
  }
}

/// Where one level serves all, no formula errs: how far the points of a plateau differ from it is what they are known
/// to.
void sharpen_plateaus(FitCurves& curves, const FittedHierarchy& fitted) {
  for (std::size_t level = 0; level < fitted.log_ns.size(); ++level) {
    std::vector<std::size_t> points;
    std::vector<double> distances;
    for (std::size_t i = 0; i < curves.cycle.size(); ++i) {
      const FitPoint& point = curves.cycle[i];
      if (cyclic_share(fitted, level, point.log2_bytes) < share_of_a_plateau || point.sigma > most_sigma_of_a_plateau)
        continue;
      points.push_back(i);
      distances.push_back(std::abs(point.log_ns - std::log(level_ns(fitted, level, point.log2_bytes))));
    }
    if (points.size() < least_points_for_a_scatter) continue;
    const double sigma = std::max(quantile(distances, 0.5) / 0.6745, least_sigma_of_a_plateau);
    for (const std::size_t i : points) curves.cycle[i].sigma = std::min(curves.cycle[i].sigma, sigma);
  }
}

/// Lets the cycle say nothing of where caches of few lines end, wherever the fits have them. False where there are
/// none.
bool forget_edges_of_few_lines(FitCurves& curves, std::initializer_list<FittedHierarchy> fits) {
  bool any = false;
  for (const FittedHierarchy& fitted : fits) {
    for (const double log2_bytes : fitted.log2_bytes) {
      if (std::exp2(log2_bytes) > few_lines * curves.line_bytes) continue;
      for (FitPoint& point : curves.cycle) {
        if (std::abs(point.log2_bytes - log2_bytes) > octaves_of_chance) continue;
        const bool nearly_beyond = point.log2_bytes > log2_bytes + octaves_of_most_chance;
        point.sigma = std::max(point.sigma, nearly_beyond ? sigma_nearly_beyond : 1.0);
        any = true;
      }
    }
  }
  return any;
}

}  // namespace

RefinedHierarchy refined(const FitCurves& all, const FittedHierarchy& start) {
  RefinedHierarchy result;
  result.curves = all;
  result.hierarchy = result.by_cycle = start;
  // Of the cycle alone the onset is the size: what scatters about a fit may be what the formulas do not know.
  if (all.independent.empty()) return result;
  FitCurves& curves = result.curves;
  allow_for_chance(curves, start);
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
  // The points as they were have shown what levels there are: shapes that make one of what was none are not taken.
  if (!believable(result.by_cycle, cycle)) result.by_cycle = start;
  const auto fit_both = [&] {
    FittedHierarchy both = fit_to_all(curves, result.by_cycle, result.scattered);
    result.hierarchy = within_sweep(both, curves) ? std::move(both) : result.by_cycle;
  };
  fit_both();
  // Where both kinds of access contradict each other, something is not as the formulas have it. Of few lines it is
  // chance, which only the cycle is subject to.
  const auto misfit = [&] {
    return (result.hierarchy.cost - result.by_cycle.cost) / static_cast<double>(curves.independent.size());
  };
  if (misfit() >= tolerated_misfit && forget_edges_of_few_lines(curves, {result.by_cycle, result.hierarchy})) {
    FittedHierarchy without_edges = fit(cycle_alone(curves), result.by_cycle);
    if (within_sweep(without_edges, curves)) result.by_cycle = std::move(without_edges);
    fit_both();
  }
  if (misfit() < tolerated_misfit) return result;
  // Otherwise the second knows less than it says (Birge's ratio).
  result.misfit = misfit();
  for (FitPoint& point : curves.independent) point.sigma *= std::sqrt(result.misfit);
  fit_both();
  return result;
}

}  // namespace sonde::analysis
