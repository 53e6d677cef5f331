#include "analysis/statistics.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

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
  EXPECT_EQ(summary.count, 9u);
  EXPECT_EQ(summary.minimum, 1);
  EXPECT_EQ(summary.lower_quartile, 3);
  EXPECT_EQ(summary.median, 5);
  EXPECT_EQ(summary.upper_quartile, 7);
  EXPECT_EQ(summary.maximum, 9);
}

TEST(Summary, OfNothingIsZero) {
  const Summary summary = summarize({});
  EXPECT_EQ(summary.count, 0u);
  EXPECT_EQ(summary.median, 0);
  EXPECT_EQ(summary.maximum, 0);
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

}  // namespace
}  // namespace sonde::analysis
