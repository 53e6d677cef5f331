#include "analysis/levels/level_fit.hpp"

#include <algorithm>
#include <cmath>
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

}  // namespace sonde::analysis::curve
