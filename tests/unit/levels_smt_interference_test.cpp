// Curves that were measured beside others on the same core, who had a part of its caches.

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/levels/levels.hpp"
#include "support/analytic_hierarchy.hpp"

namespace sonde::analysis {
namespace {

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;
constexpr double true_bytes = 2 * mib;
constexpr double left_bytes = 1.2 * mib;

/// The curve while neighbours have a part of the second cache.
LatencyCurves curves_of_what_they_leave(test::Index index = test::Index::hashed) {
  using enum test::Policy;
  using enum test::Index;
  return test::analytic_curves({{{48 * kib, 12, lru, modulo, 1.7}, {left_bytes, 16, lru, index, 5.5}}, 35}, {}, 1);
}

Bracket second_size(const LatencyCurves& curves) {
  const Hierarchy found = find_levels(curves);
  EXPECT_EQ(found.levels.size(), 3u);
  return found.levels.size() == 3 ? *found.levels[1].bytes : Bracket{};
}

LatencyCurves beside(LatencyCurves curves, double interference) {
  for (auto* curve : {&curves.cycle, &curves.independent}) {
    for (CurvePoint& point : *curve) point.smt_interference = interference;
  }
  return curves;
}

TEST(LevelsBesideNeighbours, MayBeLargerByAHalfOfTheCacheOrSmaller) {
  LatencyCurves curves = curves_of_what_they_leave();
  ASSERT_LT(second_size(curves).high, true_bytes);
  for (CurvePoint& point : curves.cycle) point.smt_interference = point.bytes > 300 * kib ? 0.25 : 0;
  for (CurvePoint& point : curves.independent) point.smt_interference = 0.25;
  const Bracket beside = second_size(curves);
  EXPECT_NEAR(beside.value, left_bytes, 0.1 * left_bytes);
  EXPECT_GT(beside.high, true_bytes);
  EXPECT_LE(beside.low, 0.86 * beside.value);
  EXPECT_LT(beside.high, 2.4 * beside.value) << "nobody takes more than half";
  EXPECT_LE(beside.low, find_levels(curves).levels[1].onset_bytes) << "what was seen to fit holds";
  EXPECT_LT(find_levels(curves).levels[0].bytes->high, 52 * kib) << "of the first cache they took nothing";
}

TEST(LevelsBesideNeighbours, HideASixthOfASizeThatIsSharpWithoutThem) {
  const LatencyCurves curves = curves_of_what_they_leave(test::Index::modulo);
  const Bracket without = second_size(curves);
  ASSERT_GT(without.low, 0.95 * left_bytes);
  // Nothing in the curve tells of others, so the size is as sure as the points are.
  EXPECT_NEAR(without.high / left_bytes, 1, 0.04);
  const Bracket with = second_size(beside(curves, 0.25));
  EXPECT_GT(with.low, 0.8 * left_bytes);
  EXPECT_LT(with.low, 0.9 * left_bytes);
}

TEST(LevelsBesideNeighbours, OfAFewValuesAreAsSureAsWithout) {
  const LatencyCurves curves = curves_of_what_they_leave();
  const Bracket without = second_size(curves);
  EXPECT_LT(second_size(beside(curves, 0.07)).high, 1.1 * without.high);
  EXPECT_GT(second_size(beside(curves, 0.15)).high, 1.3 * without.high) << "of more than a tenth they are not";
}

}  // namespace
}  // namespace sonde::analysis
