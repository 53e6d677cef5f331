#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "analysis/levels/terms.hpp"

namespace sonde::analysis::curve {

// Least squares with coefficients that are not below zero, from the normal equations: the active-set method of Lawson
// and Hanson ("Solving Least Squares Problems", 1974, chapter 23) as Bro and de Jong speed it up ("A fast
// non-negativity-constrained least squares algorithm", Journal of Chemometrics 11, 1997). With G = A'A and c = A'y the
// coefficients x minimise x'Gx / 2 - c'x. All begin at zero, which is the active set. The coefficient whose gradient
// c - Gx is steepest leaves it; those that left are solved for as if nothing bounded them. Where that makes one
// negative, the step is cut short where the first becomes zero, which goes back to the active set. It ends where no
// gradient is above zero (the conditions of Karush, Kuhn and Tucker), after finitely many steps.

/// Takes A'A, symmetric, as `gram` and A'y as `toward`; returns the coefficients, none below zero, in the columns'
/// order. A column of zeros gets 0.
Eigen::VectorXd nonnegative_least_squares(const Eigen::MatrixXd& gram, const Eigen::VectorXd& toward);

// The terms' fit to the points. A residual in units of its error, r, has the deviance (v + 1) log(1 + r^2 / v):
// Student's t with v degrees of freedom, as outliers are many (Lange, Little and Taylor, JASA 84, 1989). Interference
// only slows, so above the model v is small and r is divided by a tolerance; below it v is nearly that of a normal.
// Given sizes and shapes the coefficients are linear and none is below zero: non-negative least squares, reweighted by
// (v + 1) / (v + (r / scale)^2). The scale comes down from 8 to 1 in halves, so that the same terms give the same
// coefficients whatever was fitted before (graduated non-convexity, Blake and Zisserman 1987). The number of terms is
// Schwarz's: objective = deviance + log(n) * parameters (Annals of Statistics 6, 1978), and a shift between orders has
// a normal prior, shift^2 / scatter^2.

struct Fitted {
  std::vector<Term> terms;
  Eigen::VectorXd coefficients;  ///< those of the fixed columns first
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

}  // namespace sonde::analysis::curve
