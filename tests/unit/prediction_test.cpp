// What a few numbers of one run say of the next run's: known intervals, and how many of many simulated runs they hold.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "analysis/prediction.hpp"

namespace sonde::analysis {
namespace {

TEST(Prediction, IsThatOfTheTextbook) {
  const Estimate found = predicted(2.1, std::vector{1.0, 2.0, 3.0});
  EXPECT_EQ(found.value, 2.1);
  EXPECT_NEAR(found.low, 2 - 4.303 * std::sqrt(2.0 / 3), 1e-9);
  EXPECT_NEAR(found.high, 2 + 4.303 * std::sqrt(2.0 / 3), 1e-9);
}

TEST(Prediction, HoldsTheValueWhereverItLies) {
  EXPECT_EQ(predicted(9, std::vector{1.0, 1.0, 1.0}).high, 9);
  EXPECT_EQ(predicted(-9, std::vector{1.0, 1.0, 1.0}).low, -9);
}

TEST(Prediction, OfOneNumberIsWithoutEnd) {
  const Estimate one = predicted(5, std::vector{5.0});
  EXPECT_TRUE(std::isinf(one.low) && std::isinf(one.high));
  const Estimate above_zero = predicted_above_zero(5, std::vector{5.0});
  EXPECT_EQ(above_zero.low, 0);
  EXPECT_TRUE(std::isinf(above_zero.high));
}

TEST(Prediction, AboveZeroIsNeverNarrowerThanOnePercent) {
  const Estimate same = predicted_above_zero(200, std::vector{200.0, 200.0, 200.0});
  EXPECT_NEAR(same.low, 198, 1e-9);
  EXPECT_NEAR(same.high, 202, 1e-9);
}

/// Shares of pairs of runs in which one's interval holds the other's value.
double held(std::size_t count, bool above_zero) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  int held = 0;
  constexpr int pairs = 20000;
  for (int pair = 0; pair < pairs; ++pair) {
    std::vector<double> one(count);
    double sum_of_logarithms = 0;
    double sum = 0;
    for (double& number : one) number = above_zero ? std::exp(0.3 * normal(random)) : normal(random);
    for (std::size_t i = 0; i < count; ++i) {
      const double other = normal(random);
      sum += other;
      sum_of_logarithms += 0.3 * other;
    }
    const double value =
        above_zero ? std::exp(sum_of_logarithms / static_cast<double>(count)) : sum / static_cast<double>(count);
    double own = 0;
    for (const double number : one) own += above_zero ? std::log(number) : number;
    own /= static_cast<double>(count);
    const Estimate found = above_zero ? predicted_above_zero(std::exp(own), one) : predicted(own, one);
    held += found.low <= value && value <= found.high ? 1 : 0;
  }
  return static_cast<double>(held) / pairs;
}

TEST(Prediction, HoldsAnotherRunsValueIn95Of100) {
  for (const std::size_t count : {2u, 3u, 5u, 9u}) {
    EXPECT_NEAR(held(count, false), 0.95, 0.006) << count;
    EXPECT_NEAR(held(count, true), 0.95, 0.006) << count;
  }
}

TEST(Prediction, AnAnswerIsOpenWhereTheIntervalHoldsZero) {
  EXPECT_EQ(answer({.low = 0.1, .value = 1, .high = 2}), Answer::yes);
  EXPECT_EQ(answer({.low = -2, .value = -1, .high = 0}), Answer::no);
  EXPECT_EQ(answer({.low = -0.1, .value = 1, .high = 2}), Answer::open);
}

}  // namespace
}  // namespace sonde::analysis
