#include "analysis/levels/level_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
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

constexpr int sizes_an_octave_of_profile = 48;

/// Points within this factor of a size show how far those at its edge scatter.
constexpr double about = 4;
/// Two runs differ by at most this many standard deviations of one of them, in 95 % of cases.
constexpr double runs_apart = 1.96 * std::numbers::sqrt2;
/// Scatter moves an edge by no more than to where one level alone is seen.
constexpr double most_octaves = 1;

Bracket bytes_of(const Bracket& octaves, double width) {
  return {std::exp2(octaves.low) * (1 - width), std::exp2(octaves.value), std::exp2(octaves.high) * (1 + width)};
}

std::optional<Bracket> range_of(const std::vector<Term>& likely) {
  if (likely.empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(likely, {}, &Term::log2_bytes);
  return Bracket{low.log2_bytes, likely.front().log2_bytes, high.log2_bytes};
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

std::vector<Term> as_likely(const Observations& points, const Fitted& fitted, std::size_t term,
                            const Eigen::VectorXd& weights, bool by_independent, const Constants& constants) {
  const Term& own = fitted.terms[term];
  std::vector<Term> terms;
  for (int step = -sizes_an_octave_of_profile; step <= sizes_an_octave_of_profile; ++step) {
    Term moved = own;
    moved.log2_bytes += static_cast<double>(step) / sizes_an_octave_of_profile;
    if (by_independent) moved.shift = 0;
    terms.push_back(moved);
    moved.kind = TermKind::cache;
    for (const CacheShape& shape : cache_shapes()) {
      moved.shape = &shape;
      terms.push_back(moved);
    }
  }
  const Dictionary tried = dictionary(std::move(terms), points);
  const Eigen::VectorXd gain = gains(points, without(fitted.terms, term), tried, weights);
  const double inflated = std::max(1.0, fitted.deviance / static_cast<double>(points.count()));
  Eigen::Index best = 0;
  const double least = gain.maxCoeff(&best) - constants.deviance_of_bracket * inflated;
  if (least <= 0) return {};
  std::vector<Term> found{tried.terms[static_cast<std::size_t>(best)]};
  for (Eigen::Index i = 0; i < gain.size(); ++i) {
    if (gain(i) >= least) found.push_back(tried.terms[static_cast<std::size_t>(i)]);
  }
  return found;
}

SizeProfile size_profile(const Observations& points, const Fitted& fitted, std::size_t term,
                         const Constants& constants) {
  const Term& own = fitted.terms[term];
  Bracket all{own.log2_bytes, own.log2_bytes, own.log2_bytes};
  const auto hold = [&](const std::optional<Bracket>& range) {
    if (!range) return;
    all.low = std::min(all.low, range->low);
    all.high = std::max(all.high, range->high);
  };
  hold(range_of(as_likely(points, fitted, term, fitted.weights, false, constants)));
  const double shifted = own.log2_bytes + own.shift;
  hold(Bracket{shifted, shifted, shifted});
  const auto alone = [&](LoadOrder kept) -> std::optional<Bracket> {
    if (!points.has_independent) return std::nullopt;
    Eigen::VectorXd weights = fitted.weights;
    for (Eigen::Index i = 0; i < points.count(); ++i) {
      if (points.order_of(i) != kept) weights(i) *= 0.1;
    }
    return range_of(as_likely(points, fitted, term, weights, kept == LoadOrder::independent, constants));
  };
  const std::optional<Bracket> cycle = alone(LoadOrder::cycle);
  const std::optional<Bracket> independent = alone(LoadOrder::independent);
  hold(cycle);
  hold(independent);
  const double width = constants.least_width;
  SizeProfile found{.bytes = bytes_of(all, width)};
  if (cycle && independent && (cycle->high < independent->low || independent->high < cycle->low))
    found.disagreement = {bytes_of(*cycle, width), bytes_of(*independent, width)};
  return found;
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
  return off.empty() ? 0 : quantile(off, 0.5) / 0.6745;
}

Bracket widen_to_run_scatter(const Bracket& bracket, double scatter) {
  const double times = std::exp(runs_apart * scatter);
  const Bracket least = predicted_of_neighbours(bracket.value, std::array{bracket.value, bracket.value});
  return {std::min({bracket.low, least.low, bracket.value / times}), bracket.value,
          std::max({bracket.high, least.high, bracket.value * times})};
}

Bracket widen_size_to_run_scatter(const Bracket& bytes, const Step& step, std::span<const CurvePoint> swept) {
  const double moved =
      runs_apart * scatter_between(swept, bytes.value / about, bytes.value * about) / step.log_ns * step.octaves;
  const double times = std::exp2(std::min(moved, most_octaves));
  Bracket wider{std::min(bytes.low, bytes.value / times), bytes.value, std::max(bytes.high, bytes.value * times)};
  const auto above = std::ranges::upper_bound(swept, bytes.value, {}, &CurvePoint::bytes);
  const auto from = std::ranges::lower_bound(swept, bytes.value, {}, &CurvePoint::bytes);
  if (from == swept.begin() || above == swept.end()) return wider;
  // A size between two that were swept reaches as far as those are apart.
  const double below_bytes = std::prev(from)->bytes;
  const double low = from == above ? bytes.value * below_bytes / above->bytes : below_bytes;
  const double high = from == above ? bytes.value * above->bytes / below_bytes : above->bytes;
  wider.low = std::min(wider.low, low);
  wider.high = std::max(wider.high, high);
  return wider;
}

}  // namespace sonde::analysis::curve
