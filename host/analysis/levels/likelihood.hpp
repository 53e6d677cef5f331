#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "analysis/levels/terms.hpp"

// How well terms explain the points. A residual in units of its error, r, has the deviance (v + 1) log(1 + r^2 / v):
// Student's t with v degrees of freedom, as outliers are many (Lange, Little and Taylor, JASA 84, 1989). Interference
// only slows, so above the model v is small and r is divided by a tolerance; below it v is nearly that of a normal.
// Given sizes and shapes the coefficients are linear and none is below zero: non-negative least squares, reweighted by
// (v + 1) / (v + (r / scale)^2). The scale comes down from 8 to 1 in halves, so that the same terms give the same
// coefficients whatever was fitted before (graduated non-convexity, Blake and Zisserman 1987). The number of terms is
// Schwarz's: objective = deviance + log(n) * parameters (Annals of Statistics 6, 1978), and a shift between orders has
// a normal prior, shift^2 / scatter^2.
namespace sonde::analysis::curve {

struct Fitted {
  std::vector<Term> terms;
  Eigen::VectorXd coefficients;  ///< of the fixed columns first
  Eigen::VectorXd weights;       ///< what the robust fit gave each point, as 1 / error
  Eigen::VectorXd model;         ///< latency at each point
  double deviance = 0;
  double objective = 0;

  [[nodiscard]] double added(std::size_t term) const {
    return coefficients(coefficients.size() - static_cast<Eigen::Index>(terms.size() - term));
  }
};

Fitted fit(const Observations& points, std::vector<Term> terms, const Constants& constants);

/// What the prior says against a term's shift.
double penalty_of_shift(const Observations& points, const Term& term, const Constants& constants);

/// What the objective pays for these, beside the deviance.
double penalty(const Observations& points, std::span<const Term> terms, const Constants& constants);

}  // namespace sonde::analysis::curve
