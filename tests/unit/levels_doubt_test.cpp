#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "analysis/levels/cache_shapes.hpp"
#include "analysis/levels/levels.hpp"

namespace sonde::analysis {
namespace {

constexpr double sizes_a_doubling = 4;

/// A cycle from 1 KiB to 1 MiB, whose repetitions scatter by a percent, of caches whose misses `latency_ns` knows.
LatencyCurves cycle_of(const std::function<double(double)>& latency_ns) {
  LatencyCurves curves;
  for (double bytes = 1 << 10; bytes < 1.01 * (1 << 20); bytes *= std::exp2(1 / sizes_a_doubling)) {
    const double ns = latency_ns(bytes);
    curves.cycle.push_back({.bytes = bytes, .values = {0.99 * ns, 0.995 * ns, ns, ns, ns, 1.005 * ns, 1.01 * ns}});
  }
  return curves;
}

bool wider_than_3_percent(const Gap& gap) { return gap.high_bytes > 1.03 * gap.low_bytes; }

/// Measures in the middle of each doubtful gap until there is none; how many points that took.
int measure_doubtful(LatencyCurves& curves, const std::function<double(double)>& latency_ns) {
  int points = 0;
  for (;;) {
    const std::vector<Gap> gaps = doubts(curves, wider_than_3_percent).gaps;
    if (gaps.empty() || points > 100) return points;
    for (const Gap& gap : gaps) {
      const double bytes = std::sqrt(gap.low_bytes * gap.high_bytes);
      curves.cycle.push_back({.bytes = bytes, .values = std::vector<double>(7, latency_ns(bytes))});
      ++points;
    }
    std::ranges::sort(curves.cycle, {}, &CurvePoint::bytes);
  }
}

double sharp(double bytes) { return bytes <= 40000 ? 10 : 30; }

TEST(DoubtfulGaps, AreWhereASharpStepIs) {
  const std::vector<Gap> gaps = doubts(cycle_of(sharp), wider_than_3_percent).gaps;
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_LE(gaps[0].low_bytes, 40000);
  EXPECT_GT(gaps[0].high_bytes, 40000);
}

TEST(DoubtfulGaps, AreHalvedUntilASharpStepIsKnownWithin3Percent) {
  LatencyCurves curves = cycle_of(sharp);
  const int points = measure_doubtful(curves, sharp);
  EXPECT_GE(points, 3);
  EXPECT_LE(points, 8);
  const auto beyond = std::ranges::find_if(curves.cycle, [](const CurvePoint& point) { return median_of(point) > 20; });
  EXPECT_LE(beyond->bytes, 1.03 * (beyond - 1)->bytes);
}

// A cache with random replacement fades in over two doublings: many points show its size, each a little.
TEST(DoubtfulGaps, OfASlowRiseEndWhereAPointTellsNoMore) {
  const CacheShape& random = shape_of(CacheShape::Index::hashed, CacheShape::Replacement::random, 8);
  const auto slow = [&](double bytes) { return 10 + 20 * random.cyclic_miss(std::log2(bytes / 40000)); };
  LatencyCurves curves = cycle_of(slow);
  const int points = measure_doubtful(curves, slow);
  EXPECT_LE(points, 15);
  for (const CurvePoint& point : curves.cycle) {
    const bool is_new = point.values.front() == point.values.back();
    if (is_new) {
      EXPECT_TRUE(point.bytes > 8000 && point.bytes < 160000) << point.bytes;
    }
  }
}

// Chance that no model knows, as of pages, leaves a size unknown however many points there are.
TEST(DoubtfulGaps, OfARiseThatScattersEndBeforeAllOfItIsFullOfPoints) {
  const CacheShape& random = shape_of(CacheShape::Index::hashed, CacheShape::Replacement::random, 8);
  const auto scattered = [&](double bytes) {
    const double chance = std::fmod(std::round(bytes) * 0.6180339887, 1) - 0.5;
    return (10 + 20 * random.cyclic_miss(std::log2(bytes / 40000))) * (1 + 0.3 * chance);
  };
  LatencyCurves curves = cycle_of(scattered);
  EXPECT_LE(measure_doubtful(curves, scattered), 25);
}

TEST(DoubtfulGaps, AreNotWhereNothingRises) {
  EXPECT_TRUE(doubts(cycle_of([](double) { return 10.0; }), wider_than_3_percent).gaps.empty());
}

TEST(DoubtfulGaps, AreOnlyThoseThatMayBeCut) {
  EXPECT_TRUE(doubts(cycle_of(sharp), [](const Gap&) { return false; }).gaps.empty());
  for (const Gap& gap : doubts(cycle_of(sharp), [](const Gap& each) { return each.low_bytes > 45000; }).gaps)
    EXPECT_GT(gap.low_bytes, 45000);
}

TEST(DoubtfulGaps, OfTooFewPointsAreNone) {
  LatencyCurves curves = cycle_of(sharp);
  curves.cycle.resize(2);
  EXPECT_TRUE(doubts(curves, wider_than_3_percent).gaps.empty());
}

}  // namespace
}  // namespace sonde::analysis
