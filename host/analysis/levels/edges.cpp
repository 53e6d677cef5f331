#include "analysis/levels/level_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace sonde::analysis::curve {
namespace {

/// Whether a cache is the end of a level of its own. `latency` is what the model has before the edge before it.
bool are_apart(const Edge& before, const EdgePart& part, double latency, const Observations& points,
               const Fitted& fitted, const Constants& constants) {
  if (part.log2_bytes < before.back().log2_bytes + std::log2(constants.least_ratio)) return false;
  const Eigen::VectorXd between =
      least_missed(before).cwiseProduct(Eigen::VectorXd::Ones(part.miss.size()) - part.miss);
  const double between_ns = latency + step_of(before) + translation_at(fitted, part.log2_bytes);
  const double before_ratio = between_ns / (between_ns - step_of(before));
  // A step too small to end a level makes no mixture either and stays a step within a level.
  if (before_ratio < constants.least_step) return true;
  const double part_ratio = 1 + part.step / between_ns;
  const bool crowded = std::min(before_ratio, part_ratio) < constants.crowded_step &&
                       part.log2_bytes < before.back().log2_bytes + std::log2(constants.crowded_ratio);
  // A small step close behind an edge is a part of that edge.
  if (crowded && part_ratio < constants.least_step) return false;
  double least = 1e300;
  double most = 0;
  int count = 0;
  for (Eigen::Index i = 0; i < between.size(); ++i) {
    if (between(i) < (crowded ? constants.alone_share : constants.plateau_share)) continue;
    least = std::min(least, points.latency(i));
    most = std::max(most, points.latency(i));
    ++count;
  }
  return count >= 2 && (!crowded || most < constants.flat_within * least);
}

}  // namespace

double step_of(const Edge& edge) {
  return std::accumulate(edge.begin(), edge.end(), 0.0,
                         [](double sum, const EdgePart& part) { return sum + part.step; });
}

const EdgePart& main_of(const Edge& edge) { return *std::ranges::max_element(edge, {}, &EdgePart::step); }

Eigen::VectorXd most_missed(const Edge& edge) {
  Eigen::VectorXd most = edge.front().miss;
  for (const EdgePart& part : edge) most = most.cwiseMax(part.miss);
  return most;
}

Eigen::VectorXd least_missed(const Edge& edge) {
  Eigen::VectorXd least = edge.front().miss;
  for (const EdgePart& part : edge) least = least.cwiseMin(part.miss);
  return least;
}

double share_done(const Fitted& fitted, const Edge& edge, double log2_bytes) {
  double done = 0;
  for (const EdgePart& part : edge)
    done += part.step * share(fitted.terms[part.term], LoadOrder::cycle, log2_bytes, log2_bytes);
  return done / step_of(edge);
}

double crossing(const Fitted& fitted, const Edge& edge, double wanted) {
  double low = edge.front().log2_bytes - 4;
  double high = edge.back().log2_bytes + 6;
  for (int i = 0; i < 40; ++i) {
    const double at = (low + high) / 2;
    (share_done(fitted, edge, at) < wanted ? low : high) = at;
  }
  return high;
}

SeenElsewhere seen_elsewhere(const Fitted& fitted, const Edge& edge, const SizeRange& sizes,
                             std::span<const CurvePoint> visits) {
  SeenElsewhere seen;
  const double middle = crossing(fitted, edge, 0.5);
  for (const CurvePoint& visit : visits) {
    const double at = std::log2(visit.bytes);
    if (!sizes.holds(at)) continue;
    const double expected = share_done(fitted, edge, at);
    double beside = fitted.coefficients(0) - expected * step_of(edge);  // what all other terms take
    for (std::size_t i = 0; i < fitted.terms.size(); ++i)
      beside += fitted.added(i) * share(fitted.terms[i], LoadOrder::cycle, at, at);
    const auto [fastest, slowest] = std::ranges::minmax(visit.values);
    if (expected < 0.5 && fastest - beside > 0.5 * step_of(edge)) seen.below = std::max(seen.below, middle - at);
    if (expected > 0.5 && slowest - beside < 0.5 * step_of(edge)) seen.above = std::max(seen.above, at - middle);
  }
  return seen;
}

std::vector<double> cycle_sizes(const Observations& points) {
  std::vector<double> sizes;
  for (Eigen::Index i = 0; i < points.count() && points.order_of(i) == LoadOrder::cycle; ++i)
    sizes.push_back(points.log2_bytes(i));
  return sizes;
}

double translation_at(const Fitted& fitted, double log2_bytes) {
  double sum = 0;
  for (std::size_t i = 0; i < fitted.terms.size(); ++i) {
    if (!fitted.terms[i].is_cache())
      sum += fitted.added(i) * share(fitted.terms[i], LoadOrder::cycle, log2_bytes, log2_bytes);
  }
  return sum;
}

std::vector<Edge> edges_of(const Observations& points, const Fitted& fitted, const Constants& constants) {
  const std::vector<double> sizes = cycle_sizes(points);
  std::vector<EdgePart> parts;
  for (std::size_t i = 0; i < fitted.terms.size(); ++i) {
    const Term& term = fitted.terms[i];
    if (!term.is_cache() || fitted.added(i) <= 0) continue;
    EdgePart& part = parts.emplace_back(EdgePart{.term = i, .log2_bytes = term.log2_bytes, .step = fitted.added(i)});
    part.miss.resize(static_cast<Eigen::Index>(sizes.size()));
    for (std::size_t at = 0; at < sizes.size(); ++at)
      part.miss(static_cast<Eigen::Index>(at)) = share(term, LoadOrder::cycle, sizes[at], sizes[at]);
  }
  std::ranges::sort(parts, {}, &EdgePart::log2_bytes);
  std::vector<Edge> all;
  double latency = fitted.coefficients(0);  // before the last of the edges
  for (const EdgePart& part : parts) {
    if (all.empty() || are_apart(all.back(), part, latency, points, fitted, constants)) {
      for (const EdgePart& one : all.empty() ? Edge() : all.back()) latency += one.step;
      all.emplace_back();
    }
    all.back().push_back(part);
  }
  return all;
}

bool is_seen(const Observations& points, const EdgePart& part, const Constants& constants) {
  const std::vector<double> sizes = cycle_sizes(points);
  const auto first =
      std::find_if(part.miss.begin(), part.miss.end(), [&](double miss) { return miss >= constants.seen_share; });
  const auto place = static_cast<std::size_t>(first - part.miss.begin());
  return place < sizes.size() && sizes.back() >= sizes[place] + std::log2(constants.seen_ratio);
}

double scatter_between(std::span<const CurvePoint> swept, double from_bytes, double to_bytes) {
  std::vector<double> off;
  for (std::size_t i = 1; i + 1 < swept.size(); ++i) {
    if (swept[i].bytes < from_bytes || swept[i].bytes > to_bytes) continue;
    const double share =
        std::log(swept[i].bytes / swept[i - 1].bytes) / std::log(swept[i + 1].bytes / swept[i - 1].bytes);
    const double before = std::log(median_of(swept[i - 1]));
    const double after = std::log(median_of(swept[i + 1]));
    const double variances = 1 + share * share + (1 - share) * (1 - share);
    off.push_back(std::abs(std::log(median_of(swept[i])) - before - share * (after - before)) / std::sqrt(variances));
  }
  return off.empty() ? 0 : quantile(off, 0.5) / deviation_of_normal;
}

double share_of_moments(std::span<const CurvePoint> swept, double scatter) {
  std::vector<double> variances;  // of a point's median, by its repetitions
  for (const CurvePoint& point : swept) {
    const double count = static_cast<double>(point.values.size());
    if (count < 2) continue;
    double sum = 0;
    double squares = 0;
    for (const double value : point.values) {
      const double log_ns = std::log(value / point.values.front());
      sum += log_ns;
      squares += log_ns * log_ns;
    }
    const double freedom = count - 1;
    const double median_of_chi_square = std::pow(1 - 2 / (9 * freedom), 3);
    variances.push_back((squares - sum * sum / count) / freedom / median_of_chi_square * std::numbers::pi / 2 / count);
  }
  if (variances.empty() || scatter <= 0) return 1;
  return std::max(0.0, 1 - quantile(variances, 0.5) / (scatter * scatter));
}

}  // namespace sonde::analysis::curve
