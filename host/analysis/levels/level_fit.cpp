#include "analysis/levels/level_fit.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <utility>

namespace sonde::analysis::curve {
namespace {

/// Reads levels and edges from the terms that explain a curve best.
class LevelReader {
 public:
  LevelReader(const LatencyCurves& curves, std::span<const CurvePoint> measured, const Constants& constants)
      : points_(observe(curves, constants)),
        fitted_(search(points_, constants)),
        measured_(measured),
        constants_(constants),
        sizes_(cycle_sizes(points_)) {}

  [[nodiscard]] std::vector<Level> levels() const {
    std::vector<Level> found;
    const std::vector<Edge> all = edges_of(points_, fitted_, constants_);
    Eigen::VectorXd reached = ones();
    std::optional<Bracket> before_small_step;
    double small_steps = 0;  // sum of those within the level
    double latency = fitted_.coefficients(0);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Edge& edge = all[i];
      const bool last = i + 1 == all.size();
      const double step = step_of(edge);
      const SizeProfile size = size_of(edge);
      if (last && !is_seen(points_, main_of(edge), constants_) && size.bytes.high > std::exp2(points_.most_log2))
        continue;
      const Eigen::VectorXd served = reached.cwiseProduct(ones() - most_missed(edge));
      // A level has its own latency before a small step. Where the curve ends with one, the level is memory.
      if (!before_small_step) before_small_step = plateau(served, latency, false);
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
      set_transition(edge, level.latency_ns.value + std::exchange(small_steps, 0), level);
    }
    Level& memory = found.emplace_back();
    memory.latency_ns = plateau(reached, latency, true);
    for (std::size_t i = 0; i + 1 < found.size(); ++i) {
      widen(found[i], found[i + 1]);
      if (i > 0) found[i].bytes->high /= 1 - constants_.taken_unseen;
    }
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
        const Bracket bytes = size_profile(points_, fitted_, part.term, constants_).bytes;
        sum += part.step * std::log2(std::sqrt(bytes.low * bytes.high));
      }
      found.push_back({.onset_bytes = crossing(edge, 0.05), .middle_bytes = std::exp2(sum / step_of(edge))});
    }
    return found;
  }

 private:
  [[nodiscard]] Eigen::VectorXd ones() const { return Eigen::VectorXd::Ones(static_cast<Eigen::Index>(sizes_.size())); }

  /// Whether latency rises by too little for a level's end; `latency` is what the model has before the edge.
  [[nodiscard]] bool is_small(const Edge& edge, double latency) const {
    const double before = latency + translation_at(fitted_, main_of(edge).log2_bytes);
    return 1 + step_of(edge) / before < constants_.least_step;
  }

  /// The latency of the points that the level serves alone, without what others add; the model's latency where the
  /// level has hardly a point of its own.
  [[nodiscard]] Bracket plateau(const Eigen::VectorXd& served, double latency, bool memory) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      if (served(row) < constants_.alone_share || !is_known(measured_[i])) continue;
      values.push_back(median_of(measured_[i]) * (latency + translation_at(fitted_, sizes_[i])) / fitted_.model(row));
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
    // No level is faster than the least latency that was measured.
    const double value = std::max(own_latency, std::ranges::min(measured_ | std::views::transform(median_of)));
    Bracket bracket = values.size() < 2 ? Bracket{value, value, value} : predicted_of_neighbours(value, values);
    bracket = widen_to_run_scatter(bracket, scatter_between(measured_, 0, measured_.back().bytes));
    // Memory's bracket holds the latency at the curve's end, even where it still climbs.
    const auto last = std::find_if(measured_.rbegin(), measured_.rend(), is_known);
    if (memory && last != measured_.rend()) bracket.high = std::max(bracket.high, median_of(*last));
    return bracket;
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

  /// The size between the last point before the curve has left a level for good by 5 % of a step, and the next point.
  [[nodiscard]] double last_fitting(double latency, double step) const {
    for (std::size_t i = sizes_.size() - 1; i > 0; --i) {
      const double median = median_of(measured_[i - 1]);
      if (median < 2 * latency && median - translation_at(fitted_, sizes_[i - 1]) < latency + 0.05 * step)
        return std::exp2((sizes_[i - 1] + sizes_[i]) / 2);
    }
    return std::exp2(sizes_.front());
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

  /// Widens a size by how far it moves from one allocation to another.
  void widen(Level& level, const Level& next) const {
    const Step step{.log_ns = std::log(std::max(1.01, next.latency_ns.value / level.latency_ns.value)),
                    .octaves = std::log2(level.end_bytes / level.onset_bytes)};
    level.bytes = widen_size_to_run_scatter(*level.bytes, step, measured_);
    Bracket& bytes = *level.bytes;
    if (interference(bytes.value) <= constants_.sure_beside_others) return;
    bytes.low = std::min({bytes.low, bytes.value * (1 - constants_.hidden_by_others), level.onset_bytes});
    bytes.high = std::max(bytes.high, bytes.value / (1 - constants_.taken_by_others));
  }

  [[nodiscard]] SizeProfile size_of(const Edge& edge) const {
    const EdgePart& main = main_of(edge);
    const Edge counted = points_.has_independent && points_.has_page ? edge : Edge{main};
    SizeProfile size{.bytes = {.low = 1e300}};
    double steps = 0;
    for (const EdgePart& part : counted) {
      if (std::abs(part.log2_bytes - main.log2_bytes) > std::log2(constants_.crowded_ratio)) continue;
      if (part.step < constants_.part_of_edge * main.step) continue;
      const SizeProfile one = size_profile(points_, fitted_, part.term, constants_);
      if (part.term == main.term) size.disagreement = one.disagreement;
      size.bytes.low = std::min(size.bytes.low, one.bytes.low);
      size.bytes.high = std::max(size.bytes.high, one.bytes.high);
      // Chance in sets and pages makes a cycle miss early, so hits of independent lines beyond its size count in full.
      // Where these hit less, others may have used a part or a formula may be wrong, so a third of it counts.
      const double shift = fitted_.terms[part.term].shift;
      const double weight =
          shift < 0 && one.bytes.value > constants_.placed_bytes ? constants_.weight_of_fewer_hits : 1;
      size.bytes.value += part.step * (std::log2(one.bytes.value) + weight * shift);
      steps += part.step;
    }
    size.bytes.value = std::exp2(size.bytes.value / steps);
    return size;
  }

  /// The size at which a given share of an edge's step is done.
  [[nodiscard]] double crossing(const Edge& edge, double wanted) const {
    double low = edge.front().log2_bytes - 4;
    double high = edge.back().log2_bytes + 6;
    for (int i = 0; i < 40; ++i) {
      const double at = (low + high) / 2;
      double done = 0;
      for (const EdgePart& part : edge) done += part.step * share(fitted_.terms[part.term], LoadOrder::cycle, at, at);
      (done < wanted * step_of(edge) ? low : high) = at;
    }
    return std::exp2(high);
  }

  /// Sets where 5 and 95 % of the step are done; `latency` is that before the step.
  void set_transition(const Edge& edge, double latency, Level& level) const {
    level.onset_bytes = crossing(edge, 0.05);
    level.end_bytes = crossing(edge, 0.95);
    if (is_seen_by_independent(level.bytes->value)) return;
    // A cycle alone leaves the policy open, so only what was seen to fit is sure. Streams leave it open too, but their
    // sizes are compared with those of walks, so they keep the size that explains the slope instead of the onset.
    level.onset_bytes = std::min(level.onset_bytes, last_fitting(latency, step_of(edge)));
    level.bytes->low = std::min(level.bytes->low, level.onset_bytes);
    if (!points_.of_streams) level.bytes->value = std::clamp(level.onset_bytes, level.bytes->low, level.bytes->high);
  }

  Observations points_;
  Fitted fitted_;
  std::span<const CurvePoint> measured_;  ///< points of the cycle, with all translation
  const Constants& constants_;
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
