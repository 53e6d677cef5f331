#include "analysis/levels/likelihood.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "analysis/levels/nonnegative_least_squares.hpp"

namespace sonde::analysis::curve {
namespace {

constexpr std::array scales{8.0, 4.0, 2.0, 1.0, 1.0};
/// More than any deviance: such terms are no explanation.
constexpr double impossible = 1e6;

/// Latency of the cycle at a size, by a line between its points.
double cycle_at(const Observations& points, const Eigen::VectorXd& model, double log2_bytes) {
  Eigen::Index above = 0;
  while (above + 1 < points.count() && points.order_of(above + 1) == Order::cycle &&
         points.log2_bytes(above) < log2_bytes)
    ++above;
  return model(above);
}

}  // namespace

double penalty_of_shift(const Observations& points, const Term& term, const Constants& constants) {
  if (term.shift == 0) return 0;
  const double bytes = std::exp2(term.log2_bytes);
  const double by_pages = bytes > constants.placed_bytes ? constants.order_scatter : constants.least_order_scatter;
  const double by_lines = constants.order_scatter_of_lines / std::sqrt(bytes / points.line_bytes);
  const double off = term.shift / std::hypot(by_pages, by_lines);
  return off * off;
}

double penalty(const Observations& points, std::span<const Term> terms, const Constants& constants) {
  double sum = 0;
  for (const Term& term : terms) {
    sum += std::log(static_cast<double>(points.count())) * term.cost(constants) +
           penalty_of_shift(points, term, constants);
  }
  return sum;
}

Fitted fit(const Observations& points, std::vector<Term> terms, const Constants& constants) {
  Fitted found;
  const Eigen::MatrixXd fixed = fixed_columns(points);
  Eigen::MatrixXd columns(points.count(), fixed.cols() + static_cast<Eigen::Index>(terms.size()));
  columns.leftCols(fixed.cols()) = fixed;
  for (std::size_t i = 0; i < terms.size(); ++i)
    columns.col(fixed.cols() + static_cast<Eigen::Index>(i)) = column(terms[i], points);
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
  for (std::size_t i = 0; i < found.terms.size(); ++i) {
    const Term& term = found.terms[i];
    if (term.is_cache()) continue;
    const bool told = term.kind != Kind::growth && term.log2_bytes <= points.most_log2_of_pages;
    const double most = term.kind == Kind::growth ? constants.most_growth : constants.most_untold_translation;
    if (!told && found.added(i) > most * cycle_at(points, found.model, term.log2_bytes)) found.deviance += impossible;
  }
  found.objective = found.deviance + penalty(points, found.terms, constants);
  return found;
}

}  // namespace sonde::analysis::curve
