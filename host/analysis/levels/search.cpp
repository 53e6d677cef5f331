#include "analysis/levels/terms.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace sonde::analysis::curve {
namespace {

using Index = CacheShape::Index;
using Replacement = CacheShape::Replacement;

/// Shapes that differ enough to find an edge by; all are tried where it is refined.
std::vector<const CacheShape*> coarse_shapes() {
  return {
      &shape_of(Index::modulo, Replacement::least_recent, 4),  &shape_of(Index::modulo, Replacement::least_recent, 16),
      &shape_of(Index::modulo, Replacement::least_recent, 64), &shape_of(Index::hashed, Replacement::least_recent, 4),
      &shape_of(Index::hashed, Replacement::least_recent, 16), &shape_of(Index::modulo, Replacement::random, 8),
      &shape_of(Index::hashed, Replacement::random, 8)};
}

/// The shapes that independent walks tell apart: their hits do not depend on the policy, nor for modulo sets on the
/// ways.
std::vector<const CacheShape*> independent_shapes() {
  std::vector<const CacheShape*> all{&shape_of(Index::modulo, Replacement::least_recent, 4)};
  for (const int ways : {2, 4, 8, 16, 64}) all.push_back(&shape_of(Index::hashed, Replacement::least_recent, ways));
  return all;
}

/// Two caches closer than so many octaves may be one.
constexpr double widest_merge = 2;

class Search {
 public:
  Search(const Observations& points, const Constants& constants)
      : points_(points),
        constants_(constants),
        caches_(at_all_sizes([&](std::vector<Term>& all, double at) { add_caches(all, at); })),
        translation_(at_all_sizes([&](std::vector<Term>& all, double at) { add_translation(all, at); })) {}

  Fitted run() {
    Fitted now = fit({});
    Fitted best = now;
    for (int failures = 0; failures < 2 && static_cast<double>(now.terms.size()) < constants_.most_terms;) {
      Fitted with_cache = chosen_again(best_with(now, now.terms.size(), caches_));
      Fitted with_translation = chosen_again(best_with(now, now.terms.size(), translation_));
      now = std::move(with_translation.objective < with_cache.objective ? with_translation : with_cache);
      if (now.objective < best.objective) {
        best = now;
        failures = 0;
      } else {
        ++failures;
      }
    }
    // Term by term a search may end where no single one helps, beside a curve whose steps anybody sees. What a step's
    // cache explains shows only once its shape was chosen too.
    Fitted at_the_steps = chosen_again(fit(caches_at_the_steps()));
    if (at_the_steps.objective < best.objective) best = std::move(at_the_steps);
    best = merged(pruned(best));
    for (const double width : {1.2, 0.6, 0.2, 0.07, 0.025}) best = refined(best, width / constants_.sizes_an_octave);
    return merged(pruned(best));
  }

 private:
  [[nodiscard]] Fitted fit(std::vector<Term> terms) const { return curve::fit(points_, std::move(terms), constants_); }

  /// A cache for each rise of the cycle, one for several in a row, at the size where it rises most.
  [[nodiscard]] std::vector<Term> caches_at_the_steps() const {
    constexpr double least_rise = 0.15;  // as a logarithm
    std::vector<Term> found;
    double most = 0;
    for (Eigen::Index i = 1; i < points_.count() && points_.order_of(i) == LoadOrder::cycle; ++i) {
      const double rise = std::log(points_.latency(i) / points_.latency(i - 1));
      if (rise <= least_rise) {
        most = 0;
        continue;
      }
      if (most == 0) found.push_back(without_shape(TermKind::cache, 0));
      if (rise > most) found.back().log2_bytes = (points_.log2_bytes(i - 1) + points_.log2_bytes(i)) / 2;
      most = std::max(most, rise);
    }
    found.resize(std::min(found.size(), static_cast<std::size_t>(constants_.most_terms)));
    return found;
  }

  template <typename Add>
  Dictionary at_all_sizes(Add add) const {
    std::vector<Term> all;
    for (double at = points_.least_log2; at <= points_.most_log2; at += 1 / constants_.sizes_an_octave) add(all, at);
    return dictionary(std::move(all), points_);
  }

  void add_caches(std::vector<Term>& all, double at) const {
    for (const CacheShape* shape : coarse_shapes()) all.push_back({.log2_bytes = at, .shape = shape});
    if (points_.of_streams) all.push_back(without_shape(TermKind::cache_in_many_orders, at));
  }

  /// A term whose formula has no shape, except for a cycle of pages, which follow each other through all sets.
  static Term without_shape(TermKind kind, double at) {
    return {.kind = kind, .log2_bytes = at, .shape = &shape_of(Index::modulo, Replacement::least_recent, 4)};
  }

  /// Adds growth, and tables of pages where a walk over pages can tell these from caches, or a CPU may have them.
  void add_translation(std::vector<Term>& all, double at) const {
    all.push_back(without_shape(TermKind::growth, at));
    constexpr double least_pages = 16;
    constexpr double most_pages = 4096;
    const double pages = points_.unwalked_pages(at);
    if (pages >= least_pages && pages <= most_pages) all.push_back(without_shape(TermKind::pages_shared, at));
    if (!points_.has_page) return;
    for (const TermKind kind : {TermKind::pages_shared, TermKind::pages_in_turn})
      all.push_back(without_shape(kind, at));
  }

  /// The best fit with one of the candidates in the place of term `place`, or beside all.
  [[nodiscard]] Fitted best_with(const Fitted& now, std::size_t place, const Dictionary& candidates) const {
    const std::vector<Term> held = place < now.terms.size() ? without(now.terms, place) : now.terms;
    std::set<std::size_t> promising;
    if (candidates.terms.empty()) return now;
    const Eigen::VectorXd mean = now.weights.cwiseProduct(points_.weight).cwiseSqrt();
    for (const Eigen::VectorXd& weights : {now.weights, mean, points_.weight}) {
      Eigen::VectorXd worth = gains(points_, held, candidates, weights);
      for (Eigen::Index i = 0; i < worth.size(); ++i) {
        const Term& term = candidates.terms[static_cast<std::size_t>(i)];
        const double parameters = term.cost(constants_) * std::log(static_cast<double>(points_.count()));
        worth(i) = worth(i) - parameters - penalty_of_shift(points_, term, constants_);
      }
      promising.insert(static_cast<std::size_t>(std::max_element(worth.begin(), worth.end()) - worth.begin()));
    }
    std::optional<Fitted> found;
    for (const std::size_t one : promising) {
      std::vector<Term> terms = held;
      const auto where = static_cast<std::ptrdiff_t>(std::min(place, terms.size()));
      terms.insert(terms.begin() + where, candidates.terms[one]);
      Fitted tried = fit(std::move(terms));
      if (!found || tried.objective < found->objective) found = std::move(tried);
    }
    return *found;
  }

  /// Chooses each term again beside the others, twice at most, and none again while the others stay the same.
  [[nodiscard]] Fitted chosen_again(Fitted now) const {
    const std::size_t choices = 2 * now.terms.size();
    std::size_t unchanged = 0;
    for (std::size_t choice = 0; choice < 2 * choices && unchanged < choices; ++choice) {
      Fitted other = best_with(now, choice / 2 % now.terms.size(), choice % 2 == 0 ? caches_ : translation_);
      const bool better = other.objective < now.objective - 1e-6;
      unchanged = better ? 0 : unchanged + 1;
      if (better) now = std::move(other);
    }
    return now;
  }

  /// Drops terms that do not pay for their parameters. Where all terms together explain the points worse than their
  /// errors, a gain counts that much less.
  [[nodiscard]] Fitted pruned(Fitted now) const {
    const double dispersion = std::max(1.0, now.deviance / static_cast<double>(points_.count()));
    const auto objective = [&](const Fitted& one) { return one.objective - one.deviance * (1 - 1 / dispersion); };
    while (!now.terms.empty()) {
      std::optional<Fitted> best;
      for (std::size_t place = 0; place < now.terms.size(); ++place) {
        Fitted tried = fit(without(now.terms, place));
        if (!best || objective(tried) < objective(*best)) best = std::move(tried);
      }
      if (objective(*best) > objective(now)) break;
      now = std::move(*best);
    }
    return now;
  }

  /// Replaces two caches that are near to each other by one of any shape, where that explains the points better for its
  /// fewer parameters.
  [[nodiscard]] Fitted merged(Fitted now) const {
    for (std::size_t one = 0; one < now.terms.size(); ++one) {
      for (std::size_t other = 0; other < now.terms.size(); ++other) {
        if (one == other || !now.terms[one].is_cache() || !now.terms[other].is_cache()) continue;
        const double from = now.terms[one].log2_bytes;
        const double to = now.terms[other].log2_bytes;
        if (from > to || to > from + widest_merge) continue;
        const std::size_t place = one < other ? one : one - 1;
        std::vector<Term> candidates;
        for (double at = from - 0.2; at <= to + 0.2; at += 0.5 / constants_.sizes_an_octave) {
          for (const CacheShape& shape : cache_shapes()) {
            if (is_possible(shape, points_)) candidates.push_back({.log2_bytes = at, .shape = &shape});
          }
          if (points_.of_streams) candidates.push_back(without_shape(TermKind::cache_in_many_orders, at));
        }
        Fitted tried = best_with(fit(without(now.terms, other)), place, dictionary(std::move(candidates), points_));
        if (tried.objective > now.objective) continue;
        now = std::move(tried);
        one = other = 0;
      }
    }
    return now;
  }

  [[nodiscard]] std::vector<Term> near(const Term& term, double width) const {
    std::vector<Term> all;
    for (int step = -4; step <= 4; ++step) {
      Term moved = term;
      moved.log2_bytes = std::clamp(term.log2_bytes + width * step, points_.least_log2, points_.most_log2);
      if (!term.is_cache()) {
        add_translation(all, moved.log2_bytes);
        continue;
      }
      moved.kind = TermKind::cache;
      for (const CacheShape& shape : cache_shapes()) {
        moved.shape = &shape;
        if (is_possible(shape, points_)) all.push_back(moved);
      }
      if (points_.of_streams) all.push_back(without_shape(TermKind::cache_in_many_orders, moved.log2_bytes));
      if (!points_.has_independent || step == 0) continue;
      moved.shape = term.shape;
      moved.shift = term.shift - (moved.log2_bytes - term.log2_bytes);  // where independent lines see it stays
      all.push_back(moved);
    }
    if (!term.is_cache() || !points_.has_independent) return all;
    for (int step = -4; step <= 4; ++step) {
      Term moved = term;
      moved.shift = term.shift + width * step;
      moved.independent_shape = nullptr;
      all.push_back(moved);
      for (const CacheShape* shape : independent_shapes()) {
        moved.independent_shape = shape;
        all.push_back(moved);
      }
    }
    return all;
  }

  [[nodiscard]] Fitted refined(Fitted now, double width) const {
    for (std::size_t place = 0; place < now.terms.size(); ++place) {
      Fitted other = best_with(now, place, dictionary(near(now.terms[place], width), points_));
      if (other.objective < now.objective - 1e-6) now = std::move(other);
    }
    return now;
  }

  const Observations& points_;
  const Constants& constants_;
  Dictionary caches_;
  Dictionary translation_;
};

}  // namespace

Unexplained unexplained(const Observations& points, std::span<const Term> held, const Eigen::VectorXd& weights) {
  const Eigen::MatrixXd weighted = weights.asDiagonal() * columns_of(held, points);
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposed(weighted);
  Eigen::MatrixXd base = decomposed.householderQ() * Eigen::MatrixXd::Identity(weighted.rows(), decomposed.rank());
  const Eigen::VectorXd wanted = points.latency.cwiseProduct(weights);
  Eigen::VectorXd left = wanted - base * (base.transpose() * wanted);
  return {std::move(base), std::move(left)};
}

double gain(double toward, double squares, double inside_squares) {
  const double own = squares - inside_squares;
  return toward > 0 && own > 1e-9 * squares ? toward * toward / own : 0;
}

Eigen::VectorXd gains(const Observations& points, std::span<const Term> held, const Dictionary& candidates,
                      const Eigen::VectorXd& weights) {
  const auto [base, left] = unexplained(points, held, weights);
  const Eigen::MatrixXd weighted_base = weights.asDiagonal() * base;
  const Eigen::VectorXd toward = candidates.columns.transpose() * left.cwiseProduct(weights);
  const Eigen::VectorXd squares = candidates.columns.cwiseAbs2().transpose() * weights.cwiseAbs2();
  const Eigen::MatrixXd inside = weighted_base.transpose() * candidates.columns;
  Eigen::VectorXd found(toward.size());
  for (Eigen::Index i = 0; i < toward.size(); ++i) found(i) = gain(toward(i), squares(i), inside.col(i).squaredNorm());
  return found;
}

Fitted search(const Observations& points, const Constants& constants) { return Search(points, constants).run(); }

}  // namespace sonde::analysis::curve
