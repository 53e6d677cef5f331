#include "analysis/levels/level_size.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/levels/other_runs.hpp"
#include "analysis/levels/shape_choice.hpp"
#include "analysis/levels/size_from_hit_rate.hpp"
#include "analysis/levels/step_evidence.hpp"
#include "analysis/levels/transition.hpp"

namespace sonde::analysis {
namespace {

/// Sets are whole numbers and so are lines: no size is claimed to be known better than this.
constexpr double least_relative_error = 0.01;
/// Of a cache of so few, chance makes the cycle's edge wander.
constexpr double few_sets = 256;
/// An onset between two points no further apart than this is the capacity itself.
constexpr double narrow_onset = 1.08;
constexpr double onset_agrees = 1.1;
constexpr double least_foot = 1.05;  // of a sharp end, over the onset
/// Working set over cache where a cycle misses half: 1 if the least recently used goes, ln 2 / 0.5 if any may.
constexpr double half_missed_at_random = 1.39;
/// ln 2: where each line has one place, which chance gives it. In every other cache later.
constexpr double half_missed_at_the_earliest = 0.69;
/// More than this share of the values, in the mean of the points that show a size, may not have been taken while
/// something else used the core. Of more, the cache may be larger by what the core's second hardware thread takes of
/// it, a half in the end. It may be smaller too: the other thread slows hits down, which hides the beginning of a step.
/// What was seen to fit holds.
constexpr double smt_interference_of_a_sure_size = 0.1;
constexpr double most_taken_by_smt_interference = 0.5;
constexpr double most_hidden_by_smt_interference = 0.15;

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

/// A capacity over every shape that explains the curves nearly as well, each weighted by its likelihood, and the range
/// of all.
Bracket over_shapes(const RefinedHierarchy& refined, const FitCurves& points, const FittedHierarchy& fitted,
                    std::size_t cache) {
  const double tolerated = tolerated_cost(refined.hierarchy, refined.curves);
  std::vector<FittedHierarchy> shapes = alternatives(points, fitted, cache, refined.scattered, tolerated);
  // A cache that holds the whole sweep has no edge in it.
  const double most_log2 = std::max(fitted.log2_bytes[cache], points.cycle.back().log2_bytes);
  std::erase_if(shapes, [&](const FittedHierarchy& other) { return other.log2_bytes[cache] > most_log2; });
  return size_over(shapes, fitted, cache, tolerated);
}

/// One cache's capacity, from what the shapes say of it and what the curves show of its edge.
class Capacity {
 public:
  Capacity(const FittedCurves& all, std::size_t cache)
      : all_(all),
        cache_(cache),
        shape_(*all.fitted().shapes[cache]),
        size_by_fit_(std::exp2(all.fitted().log2_bytes[cache])),
        size_by_cycle_(std::exp2(all.refined.by_cycle.log2_bytes[cache])),
        has_many_sets_(size_by_fit_ / all.curves.line_bytes / shape_.ways() > few_sets),
        contradictory_(all.refined.misfit > 1),
        hashed_(shape_.index() == CacheShape::Index::hashed) {}

  Bracket from(Bracket by_shapes) const {
    const Bracket bracket = with_errors_of_formulas(with_both_kinds_of_access(with_bootstrap(by_shapes)));
    const bool cycle_only = all_.curves.independent.empty();
    const Crossing onset = at_share(0.05);
    const std::optional<double> end = sharp_end(all_.curves, all_.fitted(), cache_);
    if (contradictory_ && end && *end > bracket.value && *end > least_foot * onset.above)
      return {bracket.low, *end, std::max(bracket.high, at_share(0.9).above)};
    if (cycle_only) return by_cycle_alone(bracket, onset);
    const bool scattered = all_.refined.scattered[cache_];
    if (scattered && has_many_sets_) {
      // Where pages lie by chance the slope does not tell the policy.
      const Crossing middle = at_share(0.5);
      return {std::min(bracket.low, middle.below / half_missed_at_random), bracket.value,
              std::max(bracket.high, middle.above)};
    }
    if (!hashed_ && !scattered && onset.above <= onset.below * narrow_onset) return by_narrow_onset(bracket, onset);
    return bracket;
  }

 private:
  Crossing at_share(double share) const { return crossing(all_.curves, all_.fitted(), cache_, share); }

  Bracket with_bootstrap(const Bracket& bracket) const {
    std::vector<double> sizes;
    for (const FittedHierarchy& one : all_.bootstrap) sizes.push_back(std::exp2(one.log2_bytes[cache_]));
    return {std::min(bracket.low, quantile(sizes, 0.025)), bracket.value,
            std::max(bracket.high, quantile(sizes, 0.975))};
  }

  /// Each kind of access is biased in its own way: the truth lies between. Of few sets the cycle tells least.
  Bracket with_both_kinds_of_access(Bracket bracket) const {
    if (!has_many_sets_) return bracket;
    if (contradictory_) {
      const Bracket by_cycle = over_shapes(all_.refined, cycle_alone(all_.points()), all_.refined.by_cycle, cache_);
      bracket = {std::min(bracket.low, by_cycle.low), std::sqrt(bracket.value * by_cycle.value),
                 std::max(bracket.high, by_cycle.high)};
      // A further level may hide in a wide transition, and then all of it is explained by a cache larger than it is.
      // What the walk has shown to fit is the least that holds.
      bracket.low = std::min(bracket.low, at_share(0.05).below);
    }
    if (all_.curves.independent.empty()) return bracket;
    // Both together may be sure of what the walk alone has otherwise.
    return {std::min(bracket.low, size_by_cycle_), bracket.value, std::max(bracket.high, size_by_cycle_)};
  }

  /// How far the formulas are off, worst where replacement is random and walks settle slowly.
  Bracket with_errors_of_formulas(const Bracket& bracket) const {
    const double value = bracket.value;
    const bool random_policy = shape_.policy() == CacheShape::Policy::random;
    const double formula = random_policy ? 0.03 : hashed_ ? 0.01 : 0;
    // Where lines fall into sets by chance, few sets of many ways are moved most; into a single set all fall.
    const double share_of_a_set = std::min(1.0, std::max(8, shape_.ways()) / (value / all_.curves.line_bytes));
    const double placement = formula + (hashed_ ? 0.25 * std::sqrt(share_of_a_set * (1 - share_of_a_set)) : 0);
    return {std::min(bracket.low, value * (1 - least_relative_error - placement)), value,
            std::max(bracket.high, value * (1 + least_relative_error + placement))};
  }

  /// Lines next to each other lie in sets next to each other: every line fits up to the capacity, whatever the policy,
  /// and not beyond. A random policy reaches 5 % of the step only 3 % later, and where the points scatter more of it is
  /// hidden.
  Bracket by_narrow_onset(const Bracket& bracket, const Crossing& onset) const {
    const double shown = share_that_shows(all_.curves, all_.fitted(), cache_, 0.05);
    const double low = onset.below / over_the_size(shape_, shown);
    const double high = onset.above;
    // Where one of the curves contradicts it, a few sets filled early: pages that the system placed unevenly.
    for (const double said : {bracket.value, size_by_fit_, size_by_cycle_}) {
      if (said > high * onset_agrees || said < low / onset_agrees) return bracket;
    }
    if (bracket.low > high || bracket.high < low)
      return {std::min(low, bracket.low), bracket.value, std::max(high, bracket.high)};
    return {low * (1 - least_relative_error), std::clamp(bracket.value, low, high), high * (1 + least_relative_error)};
  }

  /// The cycle alone cannot tell policy from capacity: the onset is what can be used for certain.
  Bracket by_cycle_alone(const Bracket& bracket, const Crossing& onset) const {
    const Crossing middle = at_share(0.5);
    const Crossing turn = turn_up(all_.curves, all_.fitted(), cache_, middle);
    return {std::min({bracket.low, onset.below, turn.below * (1 - least_relative_error)}), turn.below,
            std::max({bracket.high, turn.above, middle.above})};
  }

  const FittedCurves& all_;
  std::size_t cache_;
  const CacheShape& shape_;
  double size_by_fit_;
  double size_by_cycle_;
  bool has_many_sets_;
  bool contradictory_;
  bool hashed_;
};

/// The largest size up to which no point is slower than a level by what would be a level of its own.
double held_bytes(const LatencyCurves& curves, double level_ns, double from_log2) {
  double held = 0;
  for (const CurvePoint& point : curves.cycle) {
    if (std::log2(point.bytes) <= from_log2) continue;
    if (median_of(point) > large_step * level_ns) break;
    held = point.bytes;
  }
  return held;
}

/// Steps too small or too steep to be levels lie between: what the cycle alone has shown to fit is what it held.
Bracket no_more_than_held(const Bracket& bytes, const FittedCurves& all, const LevelRange& range, double latency_ns) {
  if (!all.curves.independent.empty() || range.first == range.last || !range.flat) return bytes;
  const double from = *range.flat == 0 ? 0 : all.fitted().log2_bytes[*range.flat - 1];
  const double held = held_bytes(all.curves, latency_ns, from);
  if (held <= 0 || held >= bytes.value) return bytes;
  return {std::min(bytes.low, held * (1 - least_relative_error)), held, bytes.high};
}

/// With the size that the hit rate of independent accesses gives, where that says another.
Bracket with_hit_rate(const Bracket& bytes, const FittedCurves& all, std::size_t cache) {
  const FitCurves& points = all.points();
  const FitCurves hits{
      .cycle = points.cycle, .independent = all.measured_points.independent, .line_bytes = points.line_bytes};
  const bool in_doubt = !hits.independent.empty() && (all.refined.scattered[cache] || all.refined.misfit > 1);
  const auto reading = size_from_hit_rate(hits, all.fitted(), cache, bytes.value, in_doubt);
  if (!reading) return bytes;
  // What memory takes longer with every doubling counts as misses, while the walk's edge is late wherever a cache keeps
  // some lines from replacement: before memory the truth lies between. Where the walk says less, it has taken the late
  // edge for that of a cache that replaces at random.
  const double late = std::max(reading->value, std::exp2(all.refined.by_cycle.log2_bytes[cache]));
  const double value = is_last(all.fitted(), points, cache) ? std::sqrt(reading->value * late) : reading->value;
  return {std::min(bytes.low, reading->low), value, std::max({bytes.high, reading->high, value})};
}

/// Whatever a cache's shape, half of a cycle over little more than its size misses it.
Bracket no_more_than_half_missed(const Bracket& bytes, const Crossing& middle) {
  if (middle.below >= middle.above) return bytes;
  const double most = std::max(middle.above / half_missed_at_the_earliest, bytes.low);
  const double value = std::min(bytes.value, most);
  return {bytes.low, value, std::min(bytes.high, std::max(most, (1 + least_relative_error) * value))};
}

/// Mean share of the values about a cache's size, up to where a quarter of independent accesses hits it, that were
/// taken while something else used the core.
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

Bracket with_smt_interference(const Bracket& bytes, const LatencyCurves& curves, const Crossing& onset) {
  if (smt_interference_about(curves, bytes.value) <= smt_interference_of_a_sure_size) return bytes;
  return {std::min({bytes.low, bytes.value * (1 - most_hidden_by_smt_interference), onset.below}), bytes.value,
          std::max(bytes.high, bytes.value / (1 - most_taken_by_smt_interference))};
}

}  // namespace

void set_size(Level& level, const FittedCurves& all, const LevelRange& range) {
  const std::size_t cache = range.last;
  const auto at_share = [&](double share) { return crossing(all.curves, all.fitted(), cache, share); };
  const Crossing onset = at_share(0.05);
  const Crossing end = at_share(0.95);
  const Bracket by_shapes = over_shapes(all.refined, all.points(), all.fitted(), cache);
  level.fitted_bytes = by_shapes.value;
  Bracket bytes = no_more_than_held(Capacity(all, cache).from(by_shapes), all, range, level.latency_ns.value);
  bytes = no_more_than_half_missed(with_hit_rate(bytes, all, cache), at_share(0.5));
  level.bytes = with_smt_interference(bytes, all.curves, onset);
  // Points that scatter by half of a small step show no onset: it is where the fit has it.
  const bool found = onset.below < onset.above;
  level.onset_bytes = found ? std::sqrt(onset.below * onset.above) : std::min(onset.below, level.bytes->value);
  level.end_bytes = std::max(level.onset_bytes, std::sqrt(end.below * end.above));
  const Step step{.log_ns = all.fitted().log_ns[cache + 1] - all.fitted().log_ns[cache],
                  .octaves = std::log2(level.end_bytes / level.onset_bytes)};
  level.bytes = size_in_other_runs(*level.bytes, step, all.curves.cycle);
}

}  // namespace sonde::analysis
