// What curves say of a size: known answers where the likelihood can be written down.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "analysis/levels/levels.hpp"
#include "analysis/levels/size_belief.hpp"

namespace sonde::analysis {
namespace {

using curve::Belief;

TEST(Beliefs, HaveTheQuantilesOfTheirProbabilities) {
  const Belief two({{3, 0.5}, {1, 0.25}, {2, 0.25}});
  EXPECT_EQ(two.quantile(0.2), 1);
  EXPECT_EQ(two.quantile(0.4), 2);
  EXPECT_EQ(two.quantile(0.9), 3);
  std::vector<Belief::Part> normal;
  for (int i = -500; i <= 500; ++i) normal.push_back({5 + i / 100.0, std::exp(-i * i / 2e4)});
  const Bracket bracket = Belief(normal).bracket();
  EXPECT_NEAR(bracket.low, 5 - 1.96, 0.01);
  EXPECT_NEAR(bracket.value, 5, 0.01);
  EXPECT_NEAR(bracket.high, 5 + 1.96, 0.01);
}

TEST(Beliefs, HaveTwoHumpsOnlyWhereHardlyAnythingLiesBetween) {
  std::vector<Belief::Part> even, two, lopsided;
  for (int i = 0; i <= 100; ++i) even.push_back({i / 100.0, 1});
  for (int i = -10; i <= 10; ++i) {
    const double likely = std::exp(-i * i / 20.0);
    two.push_back({4 + i / 200.0, likely});
    two.push_back({5 + i / 200.0, likely});
    lopsided.push_back({4 + i / 200.0, likely});
    lopsided.push_back({5 + i / 200.0, likely / 20});
  }
  EXPECT_FALSE(Belief(even).humps());
  EXPECT_FALSE(Belief(lopsided).humps()) << "a twentieth is no second size";
  const auto humps = Belief(two).humps();
  ASSERT_TRUE(humps);
  EXPECT_NEAR(humps->first, 4, 0.01);
  EXPECT_NEAR(humps->second, 5, 0.01);
}

CurvePoint measured(double bytes, double ns, std::mt19937_64& random) {
  std::normal_distribution<double> noise(1, 0.01);
  CurvePoint point{.bytes = bytes, .values = {}};
  for (int i = 0; i < 7; ++i) point.values.push_back(ns * noise(random));
  return point;
}

/// A cache whose sets fill in turn and which keeps the newest lines.
double sharp(double bytes, double cache_bytes) {
  static const CacheShape& shape = shape_of(CacheShape::Index::modulo, CacheShape::Replacement::least_recent, 16);
  return 10 + 30 * shape.cyclic_miss(std::log2(bytes / cache_bytes));
}

/// Eight sizes an octave about such a cache of 100,000 bytes.
LatencyCurves of_a_sharp_step(std::mt19937_64& random) {
  LatencyCurves curves;
  for (int i = 0; i < 64; ++i) {
    const double bytes = 4096 * std::exp2(i / 8.0);
    curves.cycle.push_back(measured(bytes, sharp(bytes, 100'000), random));
  }
  return curves;
}

TEST(BeliefsOfASize, AreEvenBetweenTheSizesThatASharpStepLiesBetween) {
  std::mt19937_64 random(1);
  const LatencyCurves curves = of_a_sharp_step(random);
  const Hierarchy found = find_levels(curves);
  ASSERT_EQ(found.levels.size(), 2u);
  const double below = 4096 * std::exp2(36 / 8.0);
  ASSERT_LT(below, 100'000);
  EXPECT_GE(found.levels[0].bytes->low, 0.98 * below);
  // The cycle alone leaves open whether the next size is missed by all or, of a larger cache, by most.
  EXPECT_LE(found.levels[0].bytes->high, 1.1 * below * std::exp2(1 / 8.0));
  EXPECT_LE(found.levels[0].bytes->low, 100'000);
  EXPECT_GE(found.levels[0].bytes->high, 100'000);
}

TEST(BeliefsOfASize, NarrowWithPointsInTheGap) {
  double before = 1e300;
  for (const int cuts : {0, 1, 2}) {
    std::mt19937_64 random(1);
    LatencyCurves curves = of_a_sharp_step(random);
    for (int i = 1; i < 1 << cuts; ++i) {
      const double bytes = 4096 * std::exp2(36 / 8.0 + i / 8.0 / (1 << cuts));
      curves.cycle.push_back(measured(bytes, sharp(bytes, 100'000), random));
    }
    std::ranges::sort(curves.cycle, {}, &CurvePoint::bytes);
    const Bracket bytes = *find_levels(curves).levels.at(0).bytes;
    const double width = std::log2(bytes.high / bytes.low);
    EXPECT_LE(bytes.low, 100'000) << cuts;
    EXPECT_GE(bytes.high, 100'000) << cuts;
    EXPECT_LT(width, before) << cuts;
    before = width;
  }
}

TEST(BeliefsOfALatency, ReachNoFurtherThanTheNoiseOfItsPoints) {
  std::mt19937_64 random(1);
  const LatencyCurves curves = of_a_sharp_step(random);
  for (const Level& level : find_levels(curves).levels) {
    const double half = std::log(level.latency_ns.high / level.latency_ns.low) / 2;
    EXPECT_LT(half, 0.02);
    EXPECT_GT(half, 0.002);
  }
}

}  // namespace
}  // namespace sonde::analysis
