#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "analysis/levels/cache_shapes.hpp"
#include "analysis/levels/observations.hpp"

// The curve as a sum. A load's latency at a working set of N bytes is
//   y(N, order) = b + c [order is independent] + sum of d_k M_k(N / C_k) + sum of t_j T_j(N / R_j),
// b the nearest cache's latency, c what the independent walk's arithmetic adds, d_k what a load takes longer that
// misses cache k, t_j one whose page is in no table of reach R_j; none below zero. M is a miss curve of
// cache_shapes.hpp, of a cycle or of independent lines (docs/level-model.md); a walk over pages sees caches by the
// lines that it touches. T = 1 - R / N for walks in random order; over pages the same, or a step where the walk is a
// cycle of them; or log2(N / R) in the cycle and independent walks alone, for page walks that reach memory further
// and further out. Independent lines may see another size C 2^shift, and another shape, as lines lie elsewhere each
// time. Streams that each read the whole in an order of their own find in a cache what it holds of it, whatever its
// policy: M = 1 - C / N.
namespace sonde::analysis::curve {

enum class TermKind { cache, cache_in_many_orders, pages_shared, pages_in_turn, growth };

struct Term {
  TermKind kind = TermKind::cache;
  double log2_bytes = 0;
  const CacheShape* shape = nullptr;              ///< the cache's; for `pages_in_turn` the table's
  const CacheShape* independent_shape = nullptr;  ///< the shape that independent walks see; null: the same
  double shift = 0;                               ///< octaves that an independent walk's edge lies beyond the cycle's

  friend bool operator==(const Term&, const Term&) = default;
  [[nodiscard]] bool is_cache() const { return kind == TermKind::cache || kind == TermKind::cache_in_many_orders; }
  [[nodiscard]] double cost(const Constants& constants) const {
    if (!is_cache()) return constants.parameters_of_translation;
    return constants.parameters_of_cache + (independent_shape ? constants.parameters_of_another_shape : 0);
  }
};

/// The latency that a term adds to a point per unit of its coefficient.
double share(const Term& term, LoadOrder order, double log2_bytes, double log2_touched);

/// A set of terms to choose from, with their columns: the share of each at every point.
struct Dictionary {
  std::vector<Term> terms;
  Eigen::MatrixXd columns;
};
Dictionary dictionary(std::vector<Term> terms, const Observations& points);

/// The columns of a model of these terms. First come those that every model has: a constant and, where there are
/// independent walks, their arithmetic's.
Eigen::MatrixXd columns_of(std::span<const Term> terms, const Observations& points);

}  // namespace sonde::analysis::curve
