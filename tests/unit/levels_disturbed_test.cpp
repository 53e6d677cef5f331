// Curves of which parts were measured beside others on the same core: levels are read from what is left.

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

#include "analysis/levels/levels.hpp"
#include "support/analytic_hierarchy.hpp"

namespace sonde::analysis {
namespace {

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;
constexpr double first_bytes = 48 * kib;
constexpr double second_bytes = 2 * mib;

test::AnalyticHierarchy hierarchy_of(double share_of_caches) {
  using enum test::Policy;
  using enum test::Index;
  return {{{share_of_caches * first_bytes, 12, lru, modulo, 1.7}, {share_of_caches * second_bytes, 16, lru, hashed, 5}},
          35};
}

/// Four sizes a doubling. In the stretches others have half of each cache and every hit takes longer.
LatencyCurves curves_disturbed(std::initializer_list<SizeRange> stretches) {
  LatencyCurves curves;
  for (double bytes = kib; bytes <= 64 * mib; bytes *= std::exp2(0.25)) {
    CurvePoint& point = curves.cycle.emplace_back(CurvePoint{.bytes = bytes});
    for (const SizeRange& stretch : stretches)
      point.smt_interference = stretch.holds(bytes) ? 1 : point.smt_interference;
    const bool disturbed = point.smt_interference > 0;
    const double ns = cycle_ns(hierarchy_of(disturbed ? 0.5 : 1), bytes) * (disturbed ? 1.3 : 1);
    point.values = {0.99 * ns, 0.995 * ns, ns, 1.003 * ns, 1.01 * ns};
  }
  return undisturbed(curves);
}

Hierarchy levels_disturbed(std::initializer_list<SizeRange> stretches) {
  return find_levels(curves_disturbed(stretches));
}

void expect_same_size(const Level& level, const Level& wanted) {
  ASSERT_TRUE(level.bytes && wanted.bytes);
  EXPECT_NEAR(level.bytes->low / wanted.bytes->low, 1, 0.03);
  EXPECT_NEAR(level.bytes->high / wanted.bytes->high, 1, 0.03);
  EXPECT_NEAR(level.latency_ns.value / wanted.latency_ns.value, 1, 0.02);
  EXPECT_FALSE(level.ends_disturbed);
}

TEST(LevelsOfADisturbedCurve, WithoutAnythingDisturbedAreThoseOfTheCurve) {
  EXPECT_TRUE(curves_disturbed({}).disturbed.empty());
  const Hierarchy found = levels_disturbed({});
  ASSERT_EQ(found.levels.size(), 3u);
  EXPECT_FALSE(found.levels.back().ends_disturbed);
}

TEST(LevelsOfADisturbedCurve, AreTheSameBelowAndAboveAStretchWithoutAnEdge) {
  const Hierarchy alone = levels_disturbed({});
  for (const SizeRange& stretch : {SizeRange{4 * kib, 20 * kib}, SizeRange{150 * kib, 600 * kib}}) {
    const Hierarchy found = levels_disturbed({stretch});
    ASSERT_EQ(found.levels.size(), 3u);
    expect_same_size(found.levels[0], alone.levels[0]);
    expect_same_size(found.levels[1], alone.levels[1]);
    EXPECT_EQ(found.nearer_levels, 0);
  }
}

TEST(LevelsOfADisturbedCurve, HaveTheStretchAsBoundsWhereTheyEndInIt) {
  const LatencyCurves curves = curves_disturbed({{30 * kib, 100 * kib}});
  ASSERT_EQ(curves.disturbed.size(), 1u);
  const SizeRange stretch = curves.disturbed[0];
  EXPECT_NEAR(stretch.low, 27 * kib, kib);
  EXPECT_NEAR(stretch.high, 108 * kib, kib);
  const Hierarchy found = find_levels(curves);
  ASSERT_EQ(found.levels.size(), 3u);
  EXPECT_LE(found.levels[0].bytes->low, stretch.low);
  EXPECT_GE(found.levels[0].bytes->high, stretch.high);
  EXPECT_TRUE(found.levels[0].ends_disturbed);
  EXPECT_NEAR(found.levels[0].latency_ns.value, 1.7, 0.05);
  expect_same_size(found.levels[1], levels_disturbed({}).levels[1]);
}

TEST(LevelsOfADisturbedCurve, OfTwoStretchesEachHasItsOwn) {
  const Hierarchy found = levels_disturbed({{30 * kib, 100 * kib}, {mib, 6 * mib}});
  ASSERT_EQ(found.levels.size(), 3u);
  for (const auto& [level, bytes] : {std::pair(0u, first_bytes), std::pair(1u, second_bytes)}) {
    EXPECT_TRUE(found.levels[level].ends_disturbed);
    EXPECT_LT(found.levels[level].bytes->low, bytes / 1.5);
    EXPECT_GT(found.levels[level].bytes->high, bytes * 1.5);
  }
  EXPECT_NEAR(found.levels[1].latency_ns.value, 5, 0.2);
  EXPECT_NEAR(found.levels[2].latency_ns.value, 35, 1);
}

TEST(LevelsOfADisturbedCurve, ThatEndInOneStretchAreOne) {
  const Hierarchy found = levels_disturbed({{30 * kib, 8 * mib}});
  ASSERT_EQ(found.levels.size(), 2u);
  EXPECT_TRUE(found.levels[0].ends_disturbed);
  EXPECT_LT(found.levels[0].bytes->low, first_bytes);
  EXPECT_GT(found.levels[0].bytes->high, second_bytes);
}

TEST(LevelsOfADisturbedCurve, HaveTheStretchAsBoundsWhereTheirEndOnlyBeginsBeforeIt) {
  const Hierarchy found = levels_disturbed({{58 * kib, 8 * mib}});
  ASSERT_EQ(found.levels.size(), 2u);
  EXPECT_TRUE(found.levels[0].ends_disturbed);
  EXPECT_GT(found.levels[0].bytes->high, second_bytes) << "which ends in the stretch too";
}

TEST(LevelsOfADisturbedCurve, KeepTheirNumberBehindOneThatEndsAtTheBeginning) {
  const Hierarchy second = levels_disturbed({{0, 150 * kib}});
  EXPECT_EQ(second.nearer_levels, 1) << "even beside others hits took less than a hit in what is seen first";
  ASSERT_EQ(second.levels.size(), 2u);
  expect_same_size(second.levels[0], levels_disturbed({}).levels[1]);
  EXPECT_EQ(levels_disturbed({{0, 8 * kib}}).nearer_levels, 0);
}

TEST(LevelsOfADisturbedCurve, MayBeFollowedByOthersWhereItsEndIsDisturbed) {
  const LatencyCurves curves = curves_disturbed({{mib, 64 * mib}});
  EXPECT_EQ(curves.disturbed.back().high, std::numeric_limits<double>::infinity());
  const Hierarchy found = find_levels(curves);
  ASSERT_EQ(found.levels.size(), 2u);
  expect_same_size(found.levels[0], levels_disturbed({}).levels[0]);
  EXPECT_FALSE(found.levels[1].bytes);
  EXPECT_TRUE(found.levels[1].ends_disturbed);
}

TEST(LevelsOfADisturbedCurve, AreNoneWhereAllOfItIs) {
  const LatencyCurves curves = curves_disturbed({{0, 64 * mib}});
  EXPECT_TRUE(curves.cycle.empty());
  EXPECT_TRUE(find_levels(curves).levels.empty());
}

}  // namespace
}  // namespace sonde::analysis
