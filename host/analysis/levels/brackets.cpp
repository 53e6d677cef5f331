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

std::optional<Range> range_of(const std::vector<Term>& likely) {
  if (likely.empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(likely, {}, &Term::log2_bytes);
  return Range{low.log2_bytes, likely.front().log2_bytes, high.log2_bytes};
}

}  // namespace

std::vector<Term> as_likely(const Observations& points, const Fitted& fitted, std::size_t term,
                            const Eigen::VectorXd& weights, bool by_independent, const Constants& constants) {
  std::vector<Term> held = fitted.terms;
  const Term own = held[term];
  held.erase(held.begin() + static_cast<std::ptrdiff_t>(term));
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
  const Dictionary tried = dictionary(std::move(terms), points);
  const Eigen::VectorXd gain = gains(points, held, tried, weights);
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
  Range all{own.log2_bytes, own.log2_bytes, own.log2_bytes};
  const auto hold = [&](const std::optional<Range>& range) {
    if (!range) return;
    all.low = std::min(all.low, range->low);
    all.high = std::max(all.high, range->high);
  };
  hold(range_of(as_likely(points, fitted, term, fitted.weights, false, constants)));
  const double shifted = own.log2_bytes + own.shift;
  hold(Range{shifted, shifted, shifted});
  const auto alone = [&](Order kept) -> std::optional<Range> {
    if (!points.has_independent) return std::nullopt;
    Eigen::VectorXd weights = fitted.weights;
    for (Eigen::Index i = 0; i < points.count(); ++i) {
      if (points.order_of(i) != kept) weights(i) *= 0.1;
    }
    return range_of(as_likely(points, fitted, term, weights, kept == Order::independent, constants));
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
