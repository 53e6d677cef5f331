// Quantiles and intervals of repetitions, and predictions of another run against textbooks and many simulated runs.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "analysis/statistics.hpp"

namespace sonde::analysis {
namespace {

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  // R: quantile(c(10, 1, 4, 7), c(0, .1, .25, .5, .75, 1), type = 7)
  const std::vector<double> values{10, 1, 4, 7};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.1), 1.9);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 3.25);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 5.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0.75), 7.75);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 10);
}

TEST(Quantile, OfOneValueIsThatValue) {
  const std::vector<double> values{3};
  for (const double share : {0.0, 0.25, 0.5, 1.0}) EXPECT_EQ(quantile(values, share), 3);
}

TEST(Summary, HasTheKnownQuartiles) {
  const std::vector<double> values{9, 1, 8, 2, 7, 3, 6, 4, 5};
  const Summary summary = summarize(values);
  EXPECT_EQ(summary.lower_quartile, 3);
  EXPECT_EQ(summary.median, 5);
  EXPECT_EQ(summary.upper_quartile, 7);
}

TEST(Summary, OfNothingIsZero) {
  const Summary summary = summarize({});
  EXPECT_EQ(summary.median, 0);
  EXPECT_EQ(summary.upper_quartile, 0);
}

TEST(Summary, OfEqualValuesHasNoSpread) {
  const Summary summary = summarize(std::vector<double>(7, 4.5));
  EXPECT_EQ(summary.lower_quartile, 4.5);
  EXPECT_EQ(summary.upper_quartile, 4.5);
}

TEST(Summary, FewerThanHalfOutliersDoNotMoveTheMedianOutOfTheRest) {
  const Summary summary = summarize(std::vector<double>{10, 11, 12, 13, 1e9, 1e9, 1e9});
  EXPECT_EQ(summary.median, 13);
}

TEST(Summary, LeavesTheOrderOfItsInputAlone) {
  const std::vector<double> values{3, 1, 2};
  (void)summarize(values);
  EXPECT_EQ(values, (std::vector<double>{3, 1, 2}));
}

TEST(MedianInterval, HasTheRanksOfTheBinomialDistribution) {
  // Largest rank r with 1 - 2 P(Binomial(n, 1/2) < r) >= 0.95, from n = 6 on; computed with exact integers.
  constexpr int ranks[] = {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 8, 8, 8, 9, 9, 10};
  for (int count = 6; count <= 30; ++count) {
    std::vector<double> values(static_cast<std::size_t>(count));
    std::iota(values.rbegin(), values.rend(), 1.0);  // value k is the k-th smallest
    const Interval interval = median_interval(values);
    EXPECT_EQ(interval.low, ranks[count - 6]) << "of " << count;
    EXPECT_EQ(interval.high, count + 1 - ranks[count - 6]) << "of " << count;
  }
}

TEST(MedianInterval, OfFewValuesIsAllOfThem) {
  for (int count = 1; count <= 8; ++count) {
    std::vector<double> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), 1.0);
    EXPECT_EQ(median_interval(values).low, 1);
    EXPECT_EQ(median_interval(values).high, count);
  }
}

TEST(Prediction, IsThatOfTheTextbook) {
  const Estimate found = predicted(2.1, std::vector{1.0, 2.0, 3.0});
  EXPECT_EQ(found.value, 2.1);
  EXPECT_NEAR(found.low, 2 - 4.303 * std::sqrt(4.0 / 3), 1e-9);
  EXPECT_NEAR(found.high, 2 + 4.303 * std::sqrt(4.0 / 3), 1e-9);
}

TEST(Prediction, OneMomentThatStandsOutDoesNotWidenWhatTheOthersAgreeOn) {
  const Estimate found = predicted(41, std::vector{41.0, 40.0, 84.0, 42.0, 41.0, 40.5, 41.5});
  EXPECT_GT(found.low, 36);
  EXPECT_LT(found.high, 46);
}

TEST(Prediction, OfNeighboursIsAsWideAsTheyScatterHoweverManyAgree) {
  std::vector<double> found;
  for (int i = 0; i < 4; ++i) {
    found.push_back(100 * std::exp(0.1));
    found.push_back(100 * std::exp(-0.1));
  }
  const Estimate one = predicted_of_neighbours(100, found);
  // One of eight is left out at either end, and weighs as much as its neighbour.
  const double half = 2.571 * std::sqrt(8.0 / 7 / 8) * 8 / 6 * std::sqrt(2 * 9.0);
  EXPECT_NEAR(std::log(one.high / 100), 0.1 * half, 1e-6);
  EXPECT_NEAR(std::log(100 / one.low), 0.1 * half, 1e-6);
  EXPECT_NEAR(predicted_of_neighbours(200, std::vector{200.0, 200.0, 200.0}).low, 194, 1e-9);
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

TEST(Prediction, AboveZeroIsNeverNarrowerThanThreePercent) {
  const Estimate same = predicted_above_zero(200, std::vector{200.0, 200.0, 200.0});
  EXPECT_NEAR(same.low, 194, 1e-9);
  EXPECT_NEAR(same.high, 206, 1e-9);
}

/// Share of pairs of runs in which one's interval holds the other's value, each run having an offset of its own.
double held(std::size_t count, double offset_of_runs, bool above_zero) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const auto run = [&] {
    const double offset = offset_of_runs * normal(random);
    std::vector<double> found(count);
    for (double& one : found) one = offset + normal(random);
    return found;
  };
  const auto mean = [&](const std::vector<double>& found) {
    return std::accumulate(found.begin(), found.end(), 0.0) / static_cast<double>(count);
  };
  int held = 0;
  constexpr int pairs = 20000;
  for (int pair = 0; pair < pairs; ++pair) {
    std::vector<double> one = run();
    double own = mean(one);
    double other = mean(run());
    if (above_zero) {
      for (double& number : one) number = std::exp(0.3 * number);
      own = std::exp(0.3 * own);
      other = std::exp(0.3 * other);
    }
    const Estimate found = above_zero ? predicted_above_zero(own, one) : predicted(own, one);
    held += found.low <= other && other <= found.high ? 1 : 0;
  }
  return static_cast<double>(held) / pairs;
}

TEST(Prediction, HoldsAnotherRunsValueIn95Of100WhereRunsDifferAsMuchAsTheirMeansScatter) {
  for (const std::size_t count : {2u, 3u, 5u, 9u}) {
    const double offset = 1 / std::sqrt(static_cast<double>(count));
    EXPECT_NEAR(held(count, offset, false), 0.95, 0.012) << count;
    EXPECT_NEAR(held(count, offset, true), 0.95, 0.012) << count;
    EXPECT_GT(held(count, 0, false), 0.96) << count;
  }
}

TEST(Prediction, AmongOtherRunsHolds95Of100AndTheValue) {
  std::vector<double> found(201);
  std::iota(found.begin(), found.end(), 0.0);
  EXPECT_NEAR(among(100, found).low, 5, 1e-9);
  EXPECT_NEAR(among(100, found).high, 195, 1e-9);
  EXPECT_EQ(among(300, found).high, 300);
}

TEST(Scatter, OfStudentIsThatOfTheTableAndBetween) {
  EXPECT_NEAR(t_95(1), 12.706, 1e-9);
  EXPECT_NEAR(t_95(12), 2.179, 1e-9);
  EXPECT_NEAR(t_95(2.5), 3.558, 0.08);
  EXPECT_NEAR(t_95(4.5), 2.659, 0.01);
  EXPECT_NEAR(t_95(30), 2.042, 0.01);
  EXPECT_NEAR(t_95(1000), 1.962, 0.005);
  EXPECT_TRUE(std::isinf(t_95(0)));
}

TEST(Scatter, OfTwoLooksIsTheirMeanByDegrees) {
  const Scatter both = joined({4, 1}, {1, 2});
  EXPECT_NEAR(both.variance, 2, 1e-9);
  EXPECT_EQ(both.degrees, 3);
  EXPECT_EQ(joined({}, {}).degrees, 0);
  EXPECT_EQ(scatter_of(std::vector{5.0}).degrees, 0);
  EXPECT_NEAR(scatter_of(std::vector{1.0, 2.0, 3.0}).variance, 1, 1e-9);
}

/// What the scatters of many things have in common, whose true variances are `variance` times the degrees over a chi
/// squared of so many.
Scatter common_of(double variance, double degrees) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::chi_squared_distribution<double> true_one(degrees);
  std::vector<Scatter> each;
  for (int thing = 0; thing < 3000; ++thing) {
    const double own = variance * degrees / true_one(random);
    std::vector<double> found(3);
    for (double& one : found) one = std::sqrt(own) * normal(random);
    each.push_back(scatter_of(found));
  }
  return common_scatter(each);
}

TEST(Scatter, InCommonIsThatWhichTheThingsWereMadeOf) {
  for (const double degrees : {2.0, 4.0, 10.0}) {
    const Scatter common = common_of(0.01, degrees);
    EXPECT_NEAR(common.degrees, degrees, 0.25 * degrees);
    EXPECT_NEAR(common.variance, 0.01, 0.001) << degrees;
  }
}

TEST(Scatter, InCommonIsSureWhereAllHaveTheSame) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  std::vector<Scatter> each;
  for (int thing = 0; thing < 1000; ++thing) {
    each.push_back(scatter_of(std::vector{normal(random), normal(random), normal(random), normal(random)}));
  }
  EXPECT_GT(common_scatter(each).degrees, 25);
  EXPECT_NEAR(common_scatter(each).variance, 1, 0.1);
}

TEST(Scatter, InCommonOfNothingIsNone) {
  EXPECT_EQ(common_scatter({}).degrees, 0);
  EXPECT_EQ(common_scatter(std::vector{Scatter{}}).degrees, 0);
  EXPECT_EQ(common_scatter(std::vector{Scatter{1, 2}}).degrees, 4);
}

TEST(Prediction, AnAnswerIsOpenWhereTheIntervalHoldsZero) {
  EXPECT_EQ(answer({.low = 0.1, .value = 1, .high = 2}), Answer::yes);
  EXPECT_EQ(answer({.low = -2, .value = -1, .high = 0}), Answer::no);
  EXPECT_EQ(answer({.low = -0.1, .value = 1, .high = 2}), Answer::open);
}

}  // namespace
}  // namespace sonde::analysis
