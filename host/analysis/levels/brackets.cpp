#include "analysis/levels/brackets.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/levels/search.hpp"

namespace sonde::analysis::curve {
namespace {

constexpr int sizes_an_octave_of_profile = 48;

/// In octaves.
struct Range {
  double low = 0;
  double best = 0;
  double high = 0;
};

Bracket bytes_of(const Range& range, double width) {
  return {std::exp2(range.low) * (1 - width), std::exp2(range.best), std::exp2(range.high) * (1 + width)};
}

/// Of a term's size, as these weights see it.
std::optional<Range> profile(const Observations& points, const Fitted& fitted, std::size_t place,
                             const Eigen::VectorXd& weights, bool by_independent, const Constants& constants) {
  std::vector<Term> held = fitted.terms;
  const Term own = held[place];
  held.erase(held.begin() + static_cast<std::ptrdiff_t>(place));
  std::vector<Term> terms;
  for (int step = -sizes_an_octave_of_profile; step <= sizes_an_octave_of_profile; ++step) {
    Term moved = own;
    moved.log2_bytes += static_cast<double>(step) / sizes_an_octave_of_profile;
    if (by_independent) moved.shift = 0;
    terms.push_back(moved);
    moved.kind = Kind::cache;
    for (const CacheShape& shape : cache_shapes()) {
      moved.shape = &shape;
      terms.push_back(moved);
    }
  }
  const Eigen::VectorXd gain = gains(points, held, dictionary(std::move(terms), points), weights);
  const auto shapes = static_cast<Eigen::Index>(cache_shapes().size()) + 1;
  const double inflated = std::max(1.0, fitted.deviance / static_cast<double>(points.count()));
  Eigen::Index best = 0;
  const double most = gain.maxCoeff(&best);
  const auto octaves = [&](Eigen::Index step) {
    return own.log2_bytes + static_cast<double>(step) / sizes_an_octave_of_profile - 1;
  };
  if (most <= constants.deviance_of_bracket * inflated) return std::nullopt;
  std::optional<Range> range;
  for (int step = 0; step <= 2 * sizes_an_octave_of_profile; ++step) {
    if (gain.segment(step * shapes, shapes).maxCoeff() < most - constants.deviance_of_bracket * inflated) continue;
    if (!range) range = Range{octaves(step), octaves(best / shapes), octaves(step)};
    range->high = octaves(step);
  }
  return range;
}

}  // namespace

SizeProfile size_profile(const Observations& points, const Fitted& fitted, std::size_t term,
                         const Constants& constants) {
  const Term& own = fitted.terms[term];
  Range all{own.log2_bytes, own.log2_bytes, own.log2_bytes};
  const auto hold = [&](const std::optional<Range>& range) {
    if (!range) return;
    all.low = std::min(all.low, range->low);
    all.high = std::max(all.high, range->high);
  };
  hold(profile(points, fitted, term, fitted.weights, false, constants));
  const double shifted = own.log2_bytes + own.shift;
  hold(Range{shifted, shifted, shifted});
  const auto alone = [&](Order kept) -> std::optional<Range> {
    if (!points.has_independent) return std::nullopt;
    Eigen::VectorXd weights = fitted.weights;
    for (Eigen::Index i = 0; i < points.count(); ++i) {
      if (points.order_of(i) != kept) weights(i) *= 0.1;
    }
    return profile(points, fitted, term, weights, kept == Order::independent, constants);
  };
  const std::optional<Range> cycle = alone(Order::cycle);
  const std::optional<Range> independent = alone(Order::independent);
  hold(cycle);
  hold(independent);
  const double width = constants.least_width;
  SizeProfile found{.bytes = bytes_of(all, width), .disagreement = std::nullopt};
  if (cycle && independent && (cycle->high < independent->low || independent->high < cycle->low))
    found.disagreement = {bytes_of(*cycle, width), bytes_of(*independent, width)};
  return found;
}

}  // namespace sonde::analysis::curve
