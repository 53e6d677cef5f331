#include "analysis/levels/nonnegative_least_squares.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace sonde::analysis::curve {
namespace {

/// Of a column's own square: what is left of it beside the others has to be more, or rounding decides.
constexpr double rounding = 1e-11;

/// The coefficients of the free columns as if nothing bounded them; those of the others are 0.
Eigen::VectorXd unbounded(const Eigen::MatrixXd& gram, const Eigen::VectorXd& toward,
                          const std::vector<Eigen::Index>& free) {
  const auto count = static_cast<Eigen::Index>(free.size());
  Eigen::MatrixXd among(count, count);
  Eigen::VectorXd right(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Eigen::Index row = free[static_cast<std::size_t>(i)];
    right(i) = toward(row);
    for (Eigen::Index j = 0; j < count; ++j) among(i, j) = gram(row, free[static_cast<std::size_t>(j)]);
    among(i, i) *= 1 + rounding;
  }
  const Eigen::VectorXd solved = among.ldlt().solve(right);
  Eigen::VectorXd all = Eigen::VectorXd::Zero(toward.size());
  for (Eigen::Index i = 0; i < count; ++i) all(free[static_cast<std::size_t>(i)]) = solved(i);
  return all;
}

}  // namespace

Eigen::VectorXd nonnegative_least_squares(const Eigen::MatrixXd& gram, const Eigen::VectorXd& toward) {
  Eigen::VectorXd found = Eigen::VectorXd::Zero(toward.size());
  std::vector<Eigen::Index> free;
  std::vector<bool> is_free(static_cast<std::size_t>(toward.size()), false);
  // Each column enters a few times at most; the bound only ends a circle that rounding could make.
  for (Eigen::Index round = 0; round < 5 * toward.size() + 5; ++round) {
    const Eigen::VectorXd gradient = toward - gram * found;
    Eigen::Index steepest = -1;
    double most = 0;
    for (Eigen::Index i = 0; i < toward.size(); ++i) {
      const double scale = gram(i, i);
      if (is_free[static_cast<std::size_t>(i)] || scale <= 0) continue;
      const double gain = gradient(i) > 1e-9 * std::abs(toward(i)) ? gradient(i) * gradient(i) / scale : 0;
      if (gain > most) {
        most = gain;
        steepest = i;
      }
    }
    if (steepest < 0) break;
    free.push_back(steepest);
    is_free[static_cast<std::size_t>(steepest)] = true;
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
        is_free[static_cast<std::size_t>(i)] = false;
        return true;
      });
      if (free.empty() || free.size() == before) break;
    }
  }
  return found.cwiseMax(0.0);
}

}  // namespace sonde::analysis::curve
