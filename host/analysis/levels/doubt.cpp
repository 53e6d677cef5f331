#include "analysis/levels/doubt.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>

#include "analysis/levels/brackets.hpp"
#include "analysis/levels/curve_levels.hpp"
#include "analysis/levels/search.hpp"

namespace sonde::analysis::curve {
namespace {

/// Standard deviations of a point by which what is foreseen differs.
constexpr double worth_a_point = 1;

/// Points that lie closer together than this share of what is not known of a size have not told it, nor would more.
constexpr double closest_of_range = 0.25;

/// How far apart, over the step, what these terms add lies.
double difference(const std::vector<Term>& terms, double log2_bytes) {
  double least = 1;
  double most = 0;
  for (const Term& term : terms) {
    const double missed = share(term, Order::cycle, log2_bytes, log2_bytes);
    least = std::min(least, missed);
    most = std::max(most, missed);
  }
  return most - least;
}

}  // namespace

std::vector<Gap> read_doubt(const LatencyCurves& curves, const std::function<bool(const Gap&)>& may_be_cut,
                            const Constants& constants) {
  const LatencyCurves cycle = cycle_of(curves);
  if (cycle.cycle.size() < fewest_points) return {};
  const Observations points = observe(cycle, constants);
  const Fitted fitted = search(points, constants);
  const auto gap_behind = [&](Eigen::Index i) {
    const auto place = static_cast<std::size_t>(i);
    return Gap{cycle.cycle[place].bytes, cycle.cycle[place + 1].bytes};
  };
  std::set<Eigen::Index> chosen;
  for (std::size_t term = 0; term < fitted.terms.size(); ++term) {
    if (!fitted.terms[term].is_cache() || fitted.added(term) <= 0) continue;
    const std::vector<Term> likely = as_likely(points, fitted, term, fitted.weights, false, constants);
    if (likely.empty()) continue;
    const auto [smallest, largest] = std::ranges::minmax(likely, {}, &Term::log2_bytes);
    const double closest = closest_of_range * (largest.log2_bytes - smallest.log2_bytes);
    std::optional<Eigen::Index> best;
    double most = worth_a_point;
    for (Eigen::Index i = 0; i + 1 < points.count(); ++i) {
      if (points.log2_bytes(i + 1) - points.log2_bytes(i) < closest) continue;
      const double at = (points.log2_bytes(i) + points.log2_bytes(i + 1)) / 2;
      const double error = 1 / std::min(points.weight(i), points.weight(i + 1));
      const double doubt = fitted.added(term) * difference(likely, at) / error;
      if (doubt <= most || !may_be_cut(gap_behind(i))) continue;
      most = doubt;
      best = i;
    }
    if (best) chosen.insert(*best);
  }
  std::vector<Gap> found;
  std::ranges::transform(chosen, std::back_inserter(found), gap_behind);
  return found;
}

}  // namespace sonde::analysis::curve
