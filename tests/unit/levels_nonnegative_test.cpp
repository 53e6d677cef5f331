// Least squares with bounds, against problems whose answer is known or can be checked by its conditions.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/QR>
#include <random>

#include "analysis/levels/terms.hpp"

namespace sonde::analysis::curve {
namespace {

Eigen::VectorXd solved(const Eigen::MatrixXd& columns, const Eigen::VectorXd& wanted) {
  return nonnegative_least_squares(columns.transpose() * columns, columns.transpose() * wanted);
}

TEST(NonnegativeLeastSquares, IsPlainLeastSquaresWhereNothingIsBounded) {
  Eigen::MatrixXd columns(4, 2);
  columns << 1, 0, 1, 1, 1, 2, 1, 3;
  const Eigen::VectorXd wanted = columns * Eigen::Vector2d(2, 0.5);
  const Eigen::VectorXd found = solved(columns, wanted);
  EXPECT_NEAR(found(0), 2, 1e-9);
  EXPECT_NEAR(found(1), 0.5, 1e-9);
}

TEST(NonnegativeLeastSquares, HoldsAtZeroWhatWouldBeNegative) {
  Eigen::MatrixXd columns(4, 2);
  columns << 1, 0, 1, 1, 1, 2, 1, 3;
  const Eigen::Vector4d wanted(4, 3, 2, 1);  // falls: the best slope that does not is none
  const Eigen::VectorXd found = solved(columns, wanted);
  EXPECT_NEAR(found(0), 2.5, 1e-9);
  EXPECT_EQ(found(1), 0);
}

TEST(NonnegativeLeastSquares, GivesAColumnOfZerosNothing) {
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(3, 2);
  columns.col(0).setOnes();
  const Eigen::VectorXd found = solved(columns, Eigen::Vector3d(1, 2, 3));
  EXPECT_NEAR(found(0), 2, 1e-9);
  EXPECT_EQ(found(1), 0);
}

TEST(NonnegativeLeastSquares, SharesWhatTwoEqualColumnsExplain) {
  const Eigen::MatrixXd columns = Eigen::MatrixXd::Ones(5, 2);
  const Eigen::VectorXd found = solved(columns, Eigen::VectorXd::Constant(5, 3));
  EXPECT_NEAR(found.sum(), 3, 1e-6);
  EXPECT_GE(found.minCoeff(), 0);
}

// The conditions of Karush, Kuhn and Tucker hold of the minimum and of nothing else.
TEST(NonnegativeLeastSquares, EndsWhereNoCoefficientWouldGainByAChange) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int problem = 0; problem < 300; ++problem) {
    const Eigen::Index count = 2 + problem % 9;
    Eigen::MatrixXd columns(30, count);
    Eigen::VectorXd wanted(30);
    for (double& value : columns.reshaped()) value = normal(random) + (problem % 3 == 0 ? 2 : 0);
    for (double& value : wanted) value = normal(random);
    const Eigen::VectorXd found = solved(columns, wanted);
    const Eigen::VectorXd gradient = columns.transpose() * (wanted - columns * found);
    for (Eigen::Index i = 0; i < count; ++i) {
      EXPECT_GE(found(i), 0) << problem;
      if (found(i) > 0) {
        EXPECT_NEAR(gradient(i), 0, 1e-6) << problem;
      } else {
        EXPECT_LE(gradient(i), 1e-6) << problem;
      }
    }
  }
}

}  // namespace
}  // namespace sonde::analysis::curve
