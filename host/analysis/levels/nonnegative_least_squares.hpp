#pragma once

#include <Eigen/Core>

// Least squares with coefficients that are not below zero, from the normal equations: the active-set method of Lawson
// and Hanson ("Solving Least Squares Problems", 1974, chapter 23) as Bro and de Jong speed it up ("A fast
// non-negativity-constrained least squares algorithm", Journal of Chemometrics 11, 1997). With G = A'A and c = A'y the
// coefficients x minimise x'Gx / 2 - c'x. All begin at zero, which is the active set. The coefficient whose gradient
// c - Gx is steepest leaves it; those that left are solved for as if nothing bounded them. Where that makes one
// negative, the step is cut short where the first becomes zero, which goes back to the active set. It ends where no
// gradient is above zero (the conditions of Karush, Kuhn and Tucker), after finitely many steps.
namespace sonde::analysis::curve {

/// `gram` is A'A, symmetric, and `toward` A'y; the coefficients, none below zero, in the columns' order. A column of
/// zeros gets 0.
Eigen::VectorXd nonnegative_least_squares(const Eigen::MatrixXd& gram, const Eigen::VectorXd& toward);

}  // namespace sonde::analysis::curve
