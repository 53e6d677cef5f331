#pragma once

#include "analysis/levels/cache_shapes.hpp"
#include "analysis/levels/observations.hpp"

// The curve as a sum of terms, and the terms that explain it best: docs/level-model.md has the formulas.
namespace sonde::analysis::curve {

enum class TermKind { cache, cache_in_many_orders, pages_shared, pages_in_turn, growth };

struct Term {
  TermKind kind = TermKind::cache;
  double log2_bytes = 0;
  const CacheShape* shape = nullptr;              ///< the cache's; for `pages_in_turn` the table's
  const CacheShape* independent_shape = nullptr;  ///< the shape that independent walks see; null: the same
  double shift = 0;                               ///< octaves that an independent walk's edge lies beyond the cycle's

  [[nodiscard]] bool is_cache() const { return kind == TermKind::cache || kind == TermKind::cache_in_many_orders; }
  [[nodiscard]] double cost(const Constants& constants) const {
    if (!is_cache()) return constants.parameters_of_translation;
    return constants.parameters_of_cache + (independent_shape ? constants.parameters_of_another_shape : 0);
  }
};

/// Whether a cache of these points may have such a shape. Only walks have shown a policy between least recent and
/// random; streams of many groups overlap, which has a term of its own.
inline bool is_possible(const CacheShape& shape, const Observations& points) {
  return !points.of_streams || shape.policy != CacheShape::Replacement::between;
}

/// The terms but one.
std::vector<Term> without(std::vector<Term> terms, std::size_t place);

/// The latency that a term adds to a point per unit of its coefficient.
double share(const Term& term, LoadOrder order, double log2_bytes, double log2_touched);

/// Takes A'A, symmetric, as `gram` and A'y as `toward`; returns the coefficients, none below zero, in the columns'
/// order. A column of zeros gets 0.
Eigen::VectorXd nonnegative_least_squares(const Eigen::MatrixXd& gram, const Eigen::VectorXd& toward);

struct Fitted {
  std::vector<Term> terms;
  Eigen::VectorXd coefficients;  ///< those that every model has first: a constant, and independent walks' arithmetic
  Eigen::VectorXd weights;       ///< what the robust fit gave each point, as 1 / error
  Eigen::VectorXd model;         ///< latency at each point
  double deviance = 0;
  double objective = 0;

  [[nodiscard]] double added(std::size_t term) const {
    return coefficients(coefficients.size() - static_cast<Eigen::Index>(terms.size() - term));
  }
};

Fitted fit(const Observations& points, std::vector<Term> terms, const Constants& constants);

/// The prior's penalty for a term's shift.
double penalty_of_shift(const Observations& points, const Term& term, const Constants& constants);

/// A set of terms to choose from, with their columns: the share of each at every point.
struct Dictionary {
  std::vector<Term> terms;
  Eigen::MatrixXd columns;
};
Dictionary dictionary(std::vector<Term> terms, const Observations& points);

/// The columns of a model of these terms, those that every model has first.
Eigen::MatrixXd columns_of(std::span<const Term> terms, const Observations& points);

/// What held terms leave unexplained of the points, and the weighted space of their columns.
struct Unexplained {
  Eigen::MatrixXd base;  ///< orthonormal
  Eigen::VectorXd left;
};
Unexplained unexplained(const Observations& points, std::span<const Term> held, const Eigen::VectorXd& weights);

/// The amount by which a column would lower the squared residuals beside held terms, by its product with what is left,
/// its square, and the square of its part within the held terms' space.
double gain(double toward, double squares, double inside_squares);

/// The amount by which each of the dictionary's columns would lower the squared residuals, beside the held terms.
Eigen::VectorXd gains(const Observations& points, std::span<const Term> held, const Dictionary& candidates,
                      const Eigen::VectorXd& weights);

/// The terms that explain the points best.
Fitted search(const Observations& points, const Constants& constants);

}  // namespace sonde::analysis::curve
