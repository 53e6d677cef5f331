#include "analysis/levels/level_fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <ranges>
#include <utility>

#include "analysis/levels/size_belief.hpp"

namespace sonde::analysis::curve {
namespace {

/// Two runs differ by at most this many standard deviations of one of them, in 95 % of cases.
constexpr double runs_apart = 1.96 * std::numbers::sqrt2;

struct Explained {
  Observations points;
  Fitted fitted;
};

/// The terms that explain the curves best. A curve that these explain by far worse than its noise has more of it than
/// neighbours show, as where it falls for an octave.
Explained explain(const LatencyCurves& curves, Constants constants) {
  constexpr double unexplained = 4;  // mean deviance of a point
  constexpr double most_noise = 0.2;
  for (;;) {
    Explained found{observe(curves, constants), {}};
    found.fitted = search(found.points, constants);
    const double deviance = found.fitted.deviance / static_cast<double>(found.points.count());
    if (deviance < unexplained || constants.least_noise > most_noise) return found;
    // No noise below what neighbours show makes a difference.
    do {
      constants.least_noise *= 2;
    } while (constants.least_noise <= found.points.base_noise);
  }
}

/// Reads levels and edges from the terms that explain a curve best.
class LevelReader {
 public:
  LevelReader(const LatencyCurves& curves, std::span<const CurvePoint> measured, const Constants& constants)
      : LevelReader(curves, explain(curves, constants), measured, constants) {}

  [[nodiscard]] std::vector<Level> levels() const {
    std::vector<Level> found;
    const std::vector<Edge> all = edges_of(points_, fitted_, constants_);
    Eigen::VectorXd reached = ones();
    std::optional<Bracket> before_small_step;
    double small_steps = 0;  // sum of those within the level
    bool ends_in_climb = false;
    double latency = fitted_.coefficients(0);
    for (const Edge& edge : all) latency += missed_at_any_size(edge);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Edge& edge = all[i];
      const bool last = i + 1 == all.size();
      const double step = step_of(edge) - missed_at_any_size(edge);
      const Size size = size_of(edge);
      const bool is_unfinished =
          last && !is_seen(points_, main_of(edge), constants_) && largest_by_either(main_of(edge)) > points_.most_log2;
      if (is_unfinished && !climbs_clearly(edge, latency)) continue;
      ends_in_climb |= is_unfinished;
      const Eigen::VectorXd served = reached.cwiseProduct(ones() - most_missed(edge));
      // A level has its own latency before a small step. Where the curve ends with one, the level is memory.
      if (!before_small_step) before_small_step = plateau(served, latency, step);
      const bool small = is_small(edge, latency);
      latency += step;
      reached = least_missed(edge);
      if (small) {
        small_steps += step;
        continue;
      }
      Level& level = found.emplace_back();
      level.latency_ns = *std::exchange(before_small_step, std::nullopt);
      level.bytes = size.bytes;
      level.disagreement = size.disagreement;
      level.either = size.either;
      set_transition(edge, level.latency_ns.value + std::exchange(small_steps, 0), size.moved, last, level);
      widen_to_visits(all, i, *level.bytes);
    }
    for (Level& level : found) widen_beside_others(level);
    Level& memory = found.emplace_back();
    memory.latency_ns = plateau(reached, latency, 0);
    memory.is_unfinished = ends_in_climb;
    if (ends_in_climb)
      memory.latency_ns.value = std::clamp(last_latency(), memory.latency_ns.low, memory.latency_ns.high);
    if (found.size() > 1 && !points_.has_page_walks) {
      const double step = memory.latency_ns.value / found[found.size() - 2].latency_ns.value;
      memory.may_be_translation = step < constants_.least_sure_step || small_steps > 0 || !ends_flat();
    }
    return found;
  }

  /// The rises of the curve by a level's step, for choosing what to measure next.
  [[nodiscard]] std::vector<analysis::Edge> edges() const {
    std::vector<analysis::Edge> found;
    double latency = fitted_.coefficients(0);
    for (const Edge& edge : edges_of(points_, fitted_, constants_)) {
      const bool small = is_small(edge, latency);
      latency += step_of(edge);
      if (small || !is_seen(points_, main_of(edge), constants_)) continue;
      // A cycle alone leaves the policy open, and with it the size, so the middle of the possible sizes is taken.
      double sum = 0;
      for (const EdgePart& part : edge) {
        const Belief size = size_belief(points_, fitted_, part.term, constants_).size;
        sum += part.step * (size.empty() ? part.log2_bytes : (size.quantile(0.025) + size.quantile(0.975)) / 2);
      }
      found.push_back(
          {.onset_bytes = std::exp2(crossing(fitted_, edge, 0.05)), .middle_bytes = std::exp2(sum / step_of(edge))});
    }
    return found;
  }

 private:
  LevelReader(const LatencyCurves& curves, Explained explained, std::span<const CurvePoint> measured,
              const Constants& constants)
      : points_(std::move(explained.points)),
        fitted_(std::move(explained.fitted)),
        measured_(measured),
        visits_(curves.visits),
        constants_(constants),
        scatter_(scatter_between(measured, 0, measured.back().bytes)),
        of_moments_(share_of_moments(measured, scatter_) * among_others(curves.share_of_others)),
        sizes_(cycle_sizes(points_)) {}

  [[nodiscard]] Eigen::VectorXd ones() const { return Eigen::VectorXd::Ones(static_cast<Eigen::Index>(sizes_.size())); }

  /// What an edge adds to the smallest working set. A far cache of few ways, whose sets fill by chance, misses a small
  /// share of any, and that share of a far step is no small part of a near latency.
  [[nodiscard]] double missed_at_any_size(const Edge& edge) const {
    double sum = 0;
    for (const EdgePart& part : edge) sum += part.step * part.miss(0);
    return sum;
  }

  /// The least step of a level's end at this size. Without a walk over pages a smaller one may be the end of a CPU's
  /// nearest table of pages, or of its furthest, beyond which a load may wait for another one from memory.
  [[nodiscard]] double least_step_at(double log2_bytes) const {
    constexpr double least_entries = 16;
    constexpr double most_entries_of_nearest = 128;
    constexpr double least_entries_of_furthest = 1024;
    const double entries = points_.unwalked_pages(log2_bytes);
    if (entries >= least_entries_of_furthest) return constants_.most_of_another_load;
    return entries >= least_entries && entries <= most_entries_of_nearest ? 1 + constants_.most_unwalked_translation
                                                                          : constants_.least_step;
  }

  /// Whether latency rises by too little for a level's end; `latency` is what the model has before the edge.
  [[nodiscard]] bool is_small(const Edge& edge, double latency) const {
    const double at = main_of(edge).log2_bytes;
    return 1 + step_of(edge) / (latency + translation_at(fitted_, at)) < least_step_at(at);
  }

  /// Laps that still get faster by more say little of a latency.
  static constexpr double settling_tolerated = 0.05;

  /// Whether a curve that ends within its last climb leaves no doubt that it is the end of a cache: two points at least
  /// have left the plateau, and the last has left it for good. Tables of pages rarely double a latency, and none
  /// reaches as little as caches whose place no page decides. `latency` is what the model has before the edge.
  [[nodiscard]] bool climbs_clearly(const Edge& edge, double latency) const {
    const EdgePart& main = main_of(edge);
    const double before = latency + translation_at(fitted_, main.log2_bytes);
    std::vector<double> settled;
    for (const CurvePoint& point : measured_) {
      if (point.settling < settling_tolerated) settled.push_back(median_of(point));
    }
    const auto beyond = [&](double factor) {
      const auto left = std::find_if(settled.rbegin(), settled.rend(),
                                     [&](double latency_ns) { return latency_ns <= factor * before; });
      return left - settled.rbegin();
    };
    const bool no_table = points_.has_page_walks || std::exp2(main.log2_bytes) < constants_.placed_bytes;
    return beyond(constants_.flat_within) >= 2 && beyond(no_table ? constants_.least_sure_step : 2) >= 1;
  }

  /// The latency of the points that the level serves alone, without what others add; the model's latency where the
  /// level has hardly a point of its own. `step` is that to the next level, 0 for memory.
  [[nodiscard]] Bracket plateau(const Eigen::VectorXd& served, double latency, double step) const {
    // A point that has gone so much of the step met a moment at which others left the level too little room.
    constexpr double fits = 0.3;
    const bool memory = step == 0;
    std::vector<double> values;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      if (served(row) < constants_.alone_share || !is_known(measured_[i])) continue;
      const double beside_model = median_of(measured_[i]) / fitted_.model(row);
      if (!memory && beside_model > 1 + fits * step / latency) continue;
      values.push_back(beside_model * (latency + translation_at(fitted_, sizes_[i])));
    }
    if (values.size() < 3) {
      const auto begins = std::find_if(served.begin(), served.end(), [&](double share) {
        return share >= constants_.plateau_share * served.maxCoeff();
      });
      const auto place = static_cast<std::size_t>(begins - served.begin());
      values.assign(1, latency + translation_at(fitted_, sizes_[place]));
    }
    // Translation lengthens the plateau's end, so the level's own latency is at the beginning. Memory's is where the
    // curve ends.
    const std::size_t half = values.size() > 5 ? values.size() / 2 : values.size();
    const std::span<const double> all(values);
    const double own_latency = quantile(memory ? all.last(half) : all.first((values.size() * 2 + 2) / 3), 0.5);
    // No level is faster or slower than all that was measured.
    const auto medians = measured_ | std::views::transform(median_of);
    const auto [least, most] = std::ranges::minmax(medians);
    const double value = std::clamp(own_latency, least, most);
    const double times = std::exp(runs_apart * error_of(values));
    // Nor is another run expected to read much beyond all that this one did.
    constexpr double beyond = 1.5;
    Bracket bracket{std::max(value / times, least / beyond), value, std::min(value * times, most * beyond)};
    // Memory's bracket holds the latency at the curve's end, even where it still climbs.
    if (memory) bracket.high = std::max(bracket.high, last_latency());
    return bracket;
  }

  /// The latency of the last point that has a known one; 0 where none has.
  [[nodiscard]] double last_latency() const {
    const auto last = std::find_if(measured_.rbegin(), measured_.rend(), is_known);
    return last == measured_.rend() ? 0 : median_of(*last);
  }

  /// The standard deviation of a run's median of these values, as a logarithm. Each is of a moment and an allocation of
  /// its own; where others use the machine, runs differ by as much as moments do.
  [[nodiscard]] double error_of(const std::vector<double>& values) const {
    std::vector<double> off;
    const double median = std::log(quantile(values, 0.5));
    for (const double value : values) off.push_back(std::abs(std::log(value) - median));
    const double count = static_cast<double>(values.size());
    const double own = quantile(off, 0.5) / deviation_of_normal;
    constexpr double known_before = 4;
    const double scatter = std::sqrt((count * own * own + known_before * scatter_ * scatter_) / (count + known_before));
    return scatter * std::sqrt(of_moments_ + std::numbers::pi / 2 / count);
  }

  /// A point of a single lap has no known latency.
  static bool is_known(const CurvePoint& point) { return point.settling < 1; }

  /// Whether independent walks show an edge's size: at least two of their points lie about it or beyond.
  [[nodiscard]] bool is_seen_by_independent(double bytes) const {
    int count = 0;
    for (Eigen::Index i = 0; i < points_.count(); ++i) {
      const double beyond = points_.log2_bytes(i) - std::log2(bytes);
      count += points_.order_of(i) == LoadOrder::independent && beyond > -1 && beyond < 3 ? 1 : 0;
    }
    return count >= 2;
  }

  /// The last size before the curve has left a level for good by 5 % of a step, and where on the way to the next one it
  /// does so: in the middle where that has left most of the level, as a cache may end anywhere between them, and on the
  /// line between both where it is only the foot of a climb.
  [[nodiscard]] std::pair<double, double> last_fitting(double latency, double step) const {
    constexpr double has_left = 0.05;
    constexpr double foot = 0.3;
    constexpr double near = 0.4;  // octaves, beyond which another cache may lie between them
    const auto done = [&](std::size_t i) {
      return (median_of(measured_[i]) - translation_at(fitted_, sizes_[i]) - latency) / step;
    };
    for (std::size_t i = sizes_.size() - 1; i > 0; --i) {
      if (median_of(measured_[i - 1]) >= 2 * latency || done(i - 1) >= has_left) continue;
      const double middle = (sizes_[i - 1] + sizes_[i]) / 2;
      if (done(i) > foot || sizes_[i] - sizes_[i - 1] > near) return {std::exp2(sizes_[i - 1]), std::exp2(middle)};
      const double on_the_line = (has_left - done(i - 1)) / (done(i) - done(i - 1));
      const double left = std::max(middle, std::lerp(sizes_[i - 1], sizes_[i], std::clamp(on_the_line, 0.0, 1.0)));
      return {std::exp2(left), std::exp2(left)};
    }
    return {std::exp2(sizes_.front()), std::exp2(sizes_.front())};
  }

  /// Whether the points of the last doubling agree.
  [[nodiscard]] bool ends_flat() const {
    double least = 1e300;
    double most = 0;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      if (sizes_[i] < sizes_.back() - 1) continue;
      const double latency = points_.latency(static_cast<Eigen::Index>(i));
      least = std::min(least, latency);
      most = std::max(most, latency);
    }
    return most < constants_.flat_within * least;
  }

  /// The mean share of values that others on the core may have disturbed, over the sizes where a cache's misses show.
  [[nodiscard]] double interference(double bytes) const {
    double sum = 0;
    int count = 0;
    for (Eigen::Index i = 0; i < points_.count(); ++i) {
      const double beyond = points_.log2_bytes(i) - std::log2(bytes);
      if (points_.order_of(i) == LoadOrder::page || beyond < -1 || beyond > 2) continue;
      sum += points_.interference(i);
      ++count;
    }
    return count == 0 ? 0 : sum / count;
  }

  /// Widens a size by what others on the core were seen to do: they take a part of a cache, and slower hits hide where
  /// its step begins.
  void widen_beside_others(Level& level) const {
    Bracket& bytes = *level.bytes;
    if (interference(bytes.value) <= constants_.sure_beside_others) return;
    bytes.low = std::min({bytes.low, bytes.value * (1 - constants_.hidden_by_others), level.onset_bytes});
    bytes.high = std::max(bytes.high, bytes.value / (1 - constants_.taken_by_others));
  }

  /// The largest size in octaves that either order of loads leaves possible, whatever the other says.
  [[nodiscard]] double largest_by_either(const EdgePart& part) const {
    double largest = part.log2_bytes;
    for (const LoadOrder kept : {LoadOrder::cycle, LoadOrder::independent}) {
      if (kept == LoadOrder::independent && !points_.has_independent) continue;
      Fitted alone = fitted_;
      for (Eigen::Index i = 0; i < points_.count(); ++i) {
        if (points_.order_of(i) != kept) alone.weights(i) *= 0.1;
      }
      const SizeBelief belief = size_belief(points_, alone, part.term, constants_);
      const Belief& size = kept == LoadOrder::cycle ? belief.by_cycle : belief.by_independent;
      if (!size.empty()) largest = std::max(largest, size.quantile(1));
    }
    return largest;
  }

  struct Size {
    Bracket bytes;
    double moved = 0;  ///< octaves by which it moves between runs
    std::optional<SizeByOrder> disagreement = {};
    std::vector<double> either = {};  ///< the two likely ones, where hardly any between them is
  };

  static Bracket in_bytes(const Bracket& octaves) {
    return {std::exp2(octaves.low), std::exp2(octaves.value), std::exp2(octaves.high)};
  }

  /// The mean of an edge's parts by their steps, on a logarithmic scale.
  [[nodiscard]] Size size_of(const Edge& edge) const {
    const EdgePart& main = main_of(edge);
    const Edge counted = points_.has_independent && points_.has_page ? edge : Edge{main};
    Size size{.bytes = {.low = 1e300}};
    double steps = 0;
    for (const EdgePart& part : counted) {
      if (std::abs(part.log2_bytes - main.log2_bytes) > std::log2(constants_.crowded_ratio)) continue;
      if (part.step < constants_.part_of_edge * main.step) continue;
      const SizeBelief belief = size_belief(points_, fitted_, part.term, constants_);
      const Bracket one =
          belief.size.empty() ? Bracket{part.log2_bytes, part.log2_bytes, part.log2_bytes} : belief.bracket;
      if (part.term == main.term && !belief.size.empty() && !belief.by_independent.empty()) {
        const Bracket cycle = belief.by_cycle.bracket();
        const Bracket independent = belief.by_independent.bracket();
        if (cycle.high < independent.low || independent.high < cycle.low)
          size.disagreement = {in_bytes(cycle), in_bytes(independent)};
      }
      if (part.term == main.term) {
        if (const auto humps = belief.size.humps()) size.either = {std::exp2(humps->first), std::exp2(humps->second)};
      }
      size.moved = std::max(size.moved, belief.moved);
      size.bytes.low = std::min(size.bytes.low, one.low);
      size.bytes.high = std::max(size.bytes.high, one.high);
      size.bytes.value += part.step * one.value;
      steps += part.step;
    }
    size.bytes.value /= steps;
    size.bytes.low = not_beside_a_measured_size(size.bytes.low);
    size.bytes = in_bytes(size.bytes);
    return size;
  }

  /// A size is as likely as each other between two measured ones, but that the smaller is the size itself: makers take
  /// round numbers.
  [[nodiscard]] double not_beside_a_measured_size(double octaves) const {
    const auto above = std::ranges::upper_bound(sizes_, octaves);
    if (above == sizes_.begin() || above == sizes_.end()) return octaves;
    const double below = *std::prev(above);
    return octaves - below < 0.05 * (*above - below) ? below : octaves;
  }

  /// Widens a size to where single visits saw its edge: at their moment others held another part of the cache, and a
  /// further run may meet any such moment.
  void widen_to_visits(const std::vector<Edge>& all, std::size_t place, Bracket& bytes) const {
    const double from = place > 0 ? all[place - 1].back().log2_bytes : points_.least_log2;
    const double to = place + 1 < all.size() ? all[place + 1].front().log2_bytes : points_.most_log2;
    const SeenElsewhere seen = seen_elsewhere(fitted_, all[place], {from, to}, visits_);
    bytes.low = std::min(bytes.low, bytes.value * std::exp2(-seen.below));
    bytes.high = std::max(bytes.high, bytes.value * std::exp2(seen.above));
  }

  /// Whether chance in where a CPU's small pages lie decides which of a cache's sets overflow first, so that misses
  /// begin long before it is full and its end says more than its onset; and enough sizes show how the misses grow.
  [[nodiscard]] bool is_placed_by_pages(double bytes) const {
    constexpr std::ptrdiff_t enough = 5;
    const auto near = std::ranges::count_if(sizes_, [&](double at) { return std::abs(at - std::log2(bytes)) <= 1; });
    return points_.cpu_page_bytes > 0 && bytes > constants_.placed_bytes && near >= enough;
  }

  /// Sets where 5 and 95 % of the step are done; `latency` is that before the step.
  void set_transition(const Edge& edge, double latency, double moved, bool last, Level& level) const {
    level.onset_bytes = std::exp2(crossing(fitted_, edge, 0.05));
    level.end_bytes = std::exp2(crossing(fitted_, edge, 0.95));
    if (is_seen_by_independent(level.bytes->value)) return;
    if (!last && is_placed_by_pages(level.bytes->value)) return;
    // A cycle alone leaves the policy open, so only what was seen to fit is sure. Streams leave it open too, but their
    // sizes are compared with those of walks, so they keep the size that explains the slope instead of the onset.
    const auto [fitting_bytes, left_bytes] = last_fitting(latency, step_of(edge));
    level.onset_bytes = std::min(level.onset_bytes, left_bytes);
    level.bytes->low = std::min({level.bytes->low, level.onset_bytes, fitting_bytes * std::exp2(-moved)});
    if (!points_.of_streams) level.bytes->value = std::clamp(level.onset_bytes, level.bytes->low, level.bytes->high);
  }

  Observations points_;
  Fitted fitted_;
  std::span<const CurvePoint> measured_;  ///< points of the cycle, with all translation
  std::span<const CurvePoint> visits_;
  const Constants& constants_;
  double scatter_;             ///< of the cycle's points, as a standard deviation of the logarithm
  double of_moments_;          ///< share of its square that a point's repetitions do not explain
  std::vector<double> sizes_;  ///< working sets of the cycle's points, in octaves
};

}  // namespace

std::vector<Level> fit_levels(const LatencyCurves& curves, std::span<const CurvePoint> measured,
                              const Constants& constants) {
  return LevelReader(curves, measured, constants).levels();
}

std::vector<analysis::Edge> fit_edges(const LatencyCurves& cycle, const Constants& constants) {
  return LevelReader(cycle, cycle.cycle, constants).edges();
}

}  // namespace sonde::analysis::curve
