#include "analysis/levels/terms.hpp"

#include <algorithm>
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

}  // namespace

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

}  // namespace sonde::analysis::curve
