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

struct Range {
  double low = 0;
  double high = 0;
};

/// Of a term's size in octaves, as these weights see it.
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
  const double most = gain.maxCoeff();
  if (most <= constants.deviance_of_bracket * inflated) return std::nullopt;
  std::optional<Range> range;
  for (int step = 0; step <= 2 * sizes_an_octave_of_profile; ++step) {
    if (gain.segment(step * shapes, shapes).maxCoeff() < most - constants.deviance_of_bracket * inflated) continue;
    const double at = own.log2_bytes + static_cast<double>(step) / sizes_an_octave_of_profile - 1;
    if (!range) range = Range{at, at};
    range->high = at;
  }
  return range;
}

}  // namespace

Bracket size_bracket(const Observations& points, const Fitted& fitted, std::size_t term, const Constants& constants) {
  const Term& own = fitted.terms[term];
  Range all{own.log2_bytes, own.log2_bytes};
  const auto hold = [&](const std::optional<Range>& range) {
    if (!range) return;
    all = {std::min(all.low, range->low), std::max(all.high, range->high)};
  };
  hold(profile(points, fitted, term, fitted.weights, false, constants));
  hold(Range{own.log2_bytes + own.shift, own.log2_bytes + own.shift});
  if (points.has_independent) {
    for (const Order kept : {Order::cycle, Order::independent}) {
      Eigen::VectorXd weights = fitted.weights;
      for (Eigen::Index i = 0; i < points.count(); ++i) {
        if (points.order_of(i) != kept) weights(i) *= 0.1;
      }
      hold(profile(points, fitted, term, weights, kept == Order::independent, constants));
    }
  }
  const double width = constants.least_width;
  return {std::exp2(all.low) * (1 - width), std::exp2(own.log2_bytes), std::exp2(all.high) * (1 + width)};
}

}  // namespace sonde::analysis::curve
