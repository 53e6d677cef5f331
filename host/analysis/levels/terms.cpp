#include "analysis/levels/terms.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace sonde::analysis::curve {
namespace {

/// The latency that a term adds to every point per unit of its coefficient.
Eigen::VectorXd column(const Term& term, const Observations& points) {
  Eigen::VectorXd values(points.count());
  for (Eigen::Index i = 0; i < points.count(); ++i)
    values(i) = share(term, points.order_of(i), points.log2_bytes(i), points.log2_touched(i));
  return values;
}

/// The least share of a column's square that has to be left beside the others, or rounding decides.
constexpr double rounding = 1e-11;

/// The coefficients of the free columns as if nothing bounded them; those of the others are 0.
Eigen::VectorXd unbounded(const Eigen::MatrixXd& gram, const Eigen::VectorXd& toward,
                          const std::vector<Eigen::Index>& free) {
  Eigen::MatrixXd among = gram(free, free);
  among.diagonal() *= 1 + rounding;
  const Eigen::VectorXd right = toward(free);
  const Eigen::VectorXd solved = among.ldlt().solve(right);
  Eigen::VectorXd all = Eigen::VectorXd::Zero(toward.size());
  all(free) = solved;
  return all;
}

constexpr std::array scales{8.0, 4.0, 2.0, 1.0, 1.0};
/// Added to the deviance of terms that are no explanation; more than any deviance.
constexpr double impossible = 1e6;

/// Whether two tables of pages that no walk shows lie nearer to each other than a CPU's tables do: together they would
/// explain any climb.
bool has_tables_too_near(const Observations& points, std::span<const Term> terms, const Constants& constants) {
  std::vector<double> sizes;
  for (const Term& term : terms) {
    const bool walked = term.log2_bytes <= points.most_log2_of_pages;
    if (term.kind == TermKind::pages_shared && !walked) sizes.push_back(term.log2_bytes);
  }
  std::ranges::sort(sizes);
  return std::ranges::adjacent_find(sizes, [&](double one, double next) {
           return next - one < std::log2(constants.least_ratio_of_tables);
         }) != sizes.end();
}

/// The model's latency at the first point of the cycle that is at least so large.
double cycle_at(const Observations& points, const Eigen::VectorXd& model, double log2_bytes) {
  Eigen::Index above = 0;
  while (above + 1 < points.count() && points.order_of(above + 1) == LoadOrder::cycle &&
         points.log2_bytes(above) < log2_bytes)
    ++above;
  return model(above);
}

}  // namespace

std::vector<Term> without(std::vector<Term> terms, std::size_t place) {
  terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(place));
  return terms;
}

double share(const Term& term, LoadOrder order, double log2_bytes, double log2_touched) {
  const double beyond = log2_bytes - term.log2_bytes;
  switch (term.kind) {
    case TermKind::cache:
      return order == LoadOrder::independent ? 1 - (term.independent_shape ? term.independent_shape : term.shape)
                                                       ->independent_hit(log2_touched - term.log2_bytes - term.shift)
                                             : term.shape->cyclic_miss(log2_touched - term.log2_bytes);
    case TermKind::pages_in_turn:
      if (order == LoadOrder::page) return term.shape->cyclic_miss(beyond);
      [[fallthrough]];
    case TermKind::cache_in_many_orders:
    case TermKind::pages_shared: return beyond > 0 ? 1 - std::exp2(-beyond) : 0;
    case TermKind::growth: return order == LoadOrder::page ? 0 : std::max(0.0, beyond);
  }
  return 0;
}

Dictionary dictionary(std::vector<Term> terms, const Observations& points) {
  Dictionary all{.terms = std::move(terms), .columns = {}};
  all.columns.resize(points.count(), static_cast<Eigen::Index>(all.terms.size()));
  for (std::size_t i = 0; i < all.terms.size(); ++i)
    all.columns.col(static_cast<Eigen::Index>(i)) = column(all.terms[i], points);
  return all;
}

Eigen::MatrixXd columns_of(std::span<const Term> terms, const Observations& points) {
  const Eigen::Index fixed = points.has_independent ? 2 : 1;
  Eigen::MatrixXd columns = Eigen::MatrixXd::Ones(points.count(), fixed + static_cast<Eigen::Index>(terms.size()));
  for (Eigen::Index i = 0; points.has_independent && i < points.count(); ++i)
    columns(i, 1) = points.order_of(i) == LoadOrder::independent ? 1 : 0;
  for (std::size_t i = 0; i < terms.size(); ++i)
    columns.col(fixed + static_cast<Eigen::Index>(i)) = column(terms[i], points);
  return columns;
}

Eigen::VectorXd nonnegative_least_squares(const Eigen::MatrixXd& gram, const Eigen::VectorXd& toward) {
  Eigen::VectorXd found = Eigen::VectorXd::Zero(toward.size());
  std::vector<Eigen::Index> free;
  // Each column enters a few times at most; the bound only ends a cycle that rounding could cause.
  for (Eigen::Index round = 0; round < 5 * toward.size() + 5; ++round) {
    const Eigen::VectorXd gradient = toward - gram * found;
    Eigen::Index steepest = -1;
    double most = 0;
    for (Eigen::Index i = 0; i < toward.size(); ++i) {
      const double scale = gram(i, i);
      if (std::ranges::find(free, i) != free.end() || scale <= 0) continue;
      const double gain = gradient(i) > 1e-9 * std::abs(toward(i)) ? gradient(i) * gradient(i) / scale : 0;
      if (gain > most) {
        most = gain;
        steepest = i;
      }
    }
    if (steepest < 0) break;
    free.push_back(steepest);
    for (;;) {
      const Eigen::VectorXd wanted = unbounded(gram, toward, free);
      double step = 1;
      for (const Eigen::Index i : free) {
        if (wanted(i) <= 0) step = std::min(step, found(i) / std::max(found(i) - wanted(i), 1e-300));
      }
      if (step >= 1) {
        found = wanted;
        break;
      }
      found += step * (wanted - found);
      const std::size_t before = free.size();
      std::erase_if(free, [&](Eigen::Index i) {
        if (wanted(i) > 0 || found(i) > 1e-12 * std::abs(wanted(i))) return false;
        found(i) = 0;
        return true;
      });
      if (free.empty() || free.size() == before) break;
    }
  }
  return found.cwiseMax(0.0);
}

double penalty_of_shift(const Observations& points, const Term& term, const Constants& constants) {
  if (term.shift == 0) return 0;
  const double bytes = std::exp2(term.log2_bytes);
  const double by_pages = bytes > constants.placed_bytes ? constants.order_scatter : constants.least_order_scatter;
  const double by_lines = constants.order_scatter_of_lines / std::sqrt(bytes / points.line_bytes);
  const double off = term.shift / std::hypot(by_pages, by_lines);
  return off * off;
}

Fitted fit(const Observations& points, std::vector<Term> terms, const Constants& constants) {
  Fitted found;
  const Eigen::MatrixXd columns = columns_of(terms, points);
  found.weights = points.weight;
  Eigen::MatrixXd weighted(columns.rows(), columns.cols());
  for (const double scale : scales) {
    weighted.noalias() = found.weights.asDiagonal() * columns;
    const Eigen::MatrixXd gram = weighted.transpose() * weighted;
    const Eigen::VectorXd toward = weighted.transpose() * points.latency.cwiseProduct(found.weights);
    found.coefficients = nonnegative_least_squares(gram, toward);
    found.model.noalias() = columns * found.coefficients;
    found.deviance = 0;
    for (Eigen::Index i = 0; i < points.count(); ++i) {
      double off = (points.latency(i) - found.model(i)) * points.weight(i);
      const bool above = off > 0;
      const double tolerance = above ? constants.tolerance_above : 1;
      const double degrees = above ? constants.degrees_above : constants.degrees_below;
      off /= tolerance;
      const double robust = (degrees + 1) / (degrees + (off / scale) * (off / scale)) / tolerance;
      found.weights(i) = points.weight(i) * std::sqrt(robust);
      found.deviance += (degrees + 1) * std::log1p(off * off / degrees);
    }
  }
  found.terms = std::move(terms);
  if (has_tables_too_near(points, found.terms, constants)) found.deviance += impossible;
  double penalty = 0;
  for (std::size_t i = 0; i < found.terms.size(); ++i) {
    const Term& term = found.terms[i];
    penalty += std::log(static_cast<double>(points.count())) * term.cost(constants) +
               penalty_of_shift(points, term, constants);
    if (term.is_cache()) continue;
    const bool walked = term.kind != TermKind::growth && term.log2_bytes <= points.most_log2_of_pages;
    const double most = term.kind == TermKind::growth ? constants.most_growth : constants.most_unwalked_translation;
    if (!walked && found.added(i) > most * cycle_at(points, found.model, term.log2_bytes)) found.deviance += impossible;
  }
  found.objective = found.deviance + penalty;
  return found;
}

}  // namespace sonde::analysis::curve
