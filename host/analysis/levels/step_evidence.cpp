#include "analysis/levels/step_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/statistics.hpp"

namespace sonde::analysis {
namespace {

/// Sizes that are closer than this are one: edges of real curves wander.
constexpr double least_size_ratio = 2.1;
/// A point that a level serves by so much, at a latency so near to the level's, shows it.
constexpr double own_share = 0.85;
constexpr double flat_log_ns = 0.04;
constexpr double most_unsteady_log_ns = 0.25;
constexpr double penalty_of_unseen = 2;
/// The least step that a fit may use.
constexpr double least_step = 1.04;
constexpr double step_beyond_scatter = 2;
/// A step rises so steeply over some doubling. Less is a climb, by address translation or distance, that a cache which
/// fades slowly imitates, however far it goes in the end.
constexpr double least_rise_of_a_step = 1.17;
/// A stretch is flat that rises no more than this over at least so much.
constexpr double flat_rise_log_ns = 0.025;
constexpr double flat_octaves = 0.49;

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

}  // namespace

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

bool within_sweep(const FittedHierarchy& hierarchy, const FitCurves& curves) {
  return std::ranges::all_of(hierarchy.log2_bytes,
                             [&](double log2_bytes) { return log2_bytes <= curves.cycle.back().log2_bytes; });
}

bool believable(const FittedHierarchy& hierarchy, const FitCurves& curves) {
  return plausible(hierarchy, curves) && seen(hierarchy, curves);
}

double score(const FittedHierarchy& hierarchy, const FitCurves& curves) {
  return hierarchy.cost * (seen(hierarchy, curves) ? 1 : penalty_of_unseen);
}

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

bool is_last(const FittedHierarchy& hierarchy, const FitCurves& curves, std::size_t cache) {
  for (std::size_t next = cache + 1; next < hierarchy.log2_bytes.size(); ++next) {
    if (is_level(hierarchy, curves, next)) return false;
  }
  return true;
}

}  // namespace sonde::analysis
