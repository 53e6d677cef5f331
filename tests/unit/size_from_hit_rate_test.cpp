#include "analysis/levels/size_from_hit_rate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "analysis/levels/cache_shapes.hpp"

namespace sonde::analysis {
namespace {

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;

/// Three caches of sets that fill by chance, and memory.
FittedHierarchy hierarchy(double second_bytes, double third_bytes = 32 * mib) {
  const CacheShape& shape = shape_of(CacheShape::Index::hashed, CacheShape::Policy::least_recent, 16);
  FittedHierarchy caches;
  for (const double bytes : {48 * kib, second_bytes, third_bytes}) {
    caches.log2_bytes.push_back(std::log2(bytes));
    caches.shapes.push_back(&shape);
  }
  for (const double ns : {1.0, 3.5, 12.0, 140.0}) {
    caches.log_ns.push_back(std::log(ns));
    caches.drift.push_back(0);
    caches.offset_ns.push_back(4);
  }
  return caches;
}

/// The cycle as caches of one size have it, independent accesses as those of another: as where lines that are fetched
/// ahead make a cycle hit.
FitCurves curves(const FittedHierarchy& by_cycle, const FittedHierarchy& by_hits, int points_about_the_second = 7) {
  FitCurves all;
  for (double log2_bytes = 10; log2_bytes < 28; log2_bytes += 0.25)
    all.cycle.push_back({log2_bytes, std::log(cyclic_ns(by_cycle, log2_bytes)), 0.01, 0.005});
  const auto add = [&](double bytes) {
    const double log2_bytes = std::log2(bytes);
    all.independent.push_back({log2_bytes, std::log(independent_ns(by_hits, log2_bytes)), 0.01, 0.005});
  };
  for (const double bytes : {8 * kib, 16 * kib, 60 * kib, 100 * kib, 200 * kib}) add(bytes);
  for (int i = 0; i < points_about_the_second; ++i) add(0.9 * mib * std::exp2(0.35 * i));
  for (const double bytes : {40 * mib, 60 * mib, 90 * mib, 130 * mib}) add(bytes);
  return all;
}

TEST(HitsAlone, SayNothingWhereTheyAgreeWithTheFit) {
  const FittedHierarchy caches = hierarchy(1 * mib);
  for (std::size_t cache = 0; cache < 3; ++cache)
    EXPECT_FALSE(size_from_hit_rate(curves(caches, caches), caches, cache, std::exp2(caches.log2_bytes[cache]), false))
        << cache;
}

TEST(HitsAlone, TellTheSizeWhereTheCycleHasMadeTheFitSmaller) {
  const double size = 0.8 * mib;
  const FittedHierarchy fitted = hierarchy(size);
  const std::optional<Bracket> bytes = size_from_hit_rate(curves(fitted, hierarchy(1 * mib)), fitted, 1, size, false);
  ASSERT_TRUE(bytes);
  EXPECT_NEAR(bytes->value, 1 * mib, 0.03 * mib);
  EXPECT_LT(bytes->low, 1 * mib);
  EXPECT_GT(bytes->high, 1 * mib);
}

TEST(HitsAlone, TellTheSizeWhereTheCycleHasMadeTheFitLarger) {
  const double size = 1.3 * mib;
  const FittedHierarchy fitted = hierarchy(size);
  const std::optional<Bracket> bytes = size_from_hit_rate(curves(fitted, hierarchy(1 * mib)), fitted, 1, size, false);
  ASSERT_TRUE(bytes);
  EXPECT_NEAR(bytes->value, 1 * mib, 0.03 * mib);
}

// As where a mean of the two is said: each has a bias of its own, but the cycle's may be so large that the mean is off.
TEST(HitsAlone, TellTheSizeWhereWhatIsSaidIsAnotherThanTheFits) {
  const FittedHierarchy caches = hierarchy(1 * mib);
  const std::optional<Bracket> bytes = size_from_hit_rate(curves(caches, caches), caches, 1, 0.9 * mib, false);
  ASSERT_TRUE(bytes);
  EXPECT_NEAR(bytes->value, 1 * mib, 0.02 * mib);
}

// Where lines fall into sets in turn, all miss from the size on; by chance some miss before and others hit beyond it.
TEST(HitsAlone, TellTheSizeWhereTheFitsShapeIsNotTheirs) {
  const double size = 0.98 * mib;
  FittedHierarchy fitted = hierarchy(size);
  fitted.shapes[1] = &shape_of(CacheShape::Index::modulo, CacheShape::Policy::least_recent, 16);
  const std::optional<Bracket> bytes = size_from_hit_rate(curves(fitted, hierarchy(1 * mib)), fitted, 1, size, false);
  ASSERT_TRUE(bytes);
  EXPECT_NEAR(bytes->value, 1 * mib, 0.01 * mib);
}

TEST(HitsAlone, AreAskedWherePointsScatterEvenIfTheyAgree) {
  const FittedHierarchy caches = hierarchy(1 * mib);
  const std::optional<Bracket> bytes = size_from_hit_rate(curves(caches, caches), caches, 1, 1 * mib, true);
  ASSERT_TRUE(bytes);
  EXPECT_NEAR(bytes->value, 1 * mib, 0.02 * mib);
}

/// Latencies that climb by a tenth with every doubling beyond a size, as where translation ends.
void climb_from(FitCurves& curves, double bytes) {
  for (std::vector<FitPoint>* curve : {&curves.cycle, &curves.independent}) {
    for (FitPoint& point : *curve) point.log_ns += std::log1p(0.1 * std::max(0.0, point.log2_bytes - std::log2(bytes)));
  }
}

// A CPU's third cache and translation do, wherever tables end.
TEST(HitsAlone, TellTheSizeWhereLatenciesClimbFromSomeSizeOn) {
  const double size = 0.85 * mib;
  const FittedHierarchy fitted = hierarchy(size);
  for (const double begin : {0.3 * mib, 4 * mib}) {
    FitCurves climbing = curves(fitted, hierarchy(1 * mib));
    climb_from(climbing, begin);
    const std::optional<Bracket> bytes = size_from_hit_rate(climbing, fitted, 1, size, false);
    ASSERT_TRUE(bytes);
    EXPECT_NEAR(bytes->value, 1 * mib, 0.03 * mib) << begin;
  }
}

// From the edge itself on, a climb is not told from misses: then the bracket has to hold the size.
TEST(HitsAlone, HoldTheSizeWhereTheNextLevelClimbsFromTheEdgeOn) {
  const double size = 0.85 * mib;
  const FittedHierarchy fitted = hierarchy(size);
  FitCurves climbing = curves(fitted, hierarchy(1 * mib));
  climb_from(climbing, 1 * mib);
  const std::optional<Bracket> bytes = size_from_hit_rate(climbing, fitted, 1, size, false);
  ASSERT_TRUE(bytes);
  EXPECT_LT(bytes->low, 1 * mib);
  EXPECT_GT(bytes->high, 1 * mib);
}

/// The hierarchy without its third cache: behind the second comes memory.
FittedHierarchy without_third(FittedHierarchy caches) {
  caches.log2_bytes.pop_back();
  caches.shapes.pop_back();
  caches.log_ns.pop_back();
  caches.drift.pop_back();
  caches.offset_ns.pop_back();
  return caches;
}

TEST(HitsAlone, TellTheSizeOfTheLastCacheToo) {
  const double size = 0.85 * mib;
  const FittedHierarchy fitted = without_third(hierarchy(size));
  const FittedHierarchy by_hits = without_third(hierarchy(1 * mib));
  FitCurves climbing = curves(fitted, by_hits);
  climb_from(climbing, 4 * mib);
  const std::optional<Bracket> bytes = size_from_hit_rate(climbing, fitted, 1, size, false);
  ASSERT_TRUE(bytes);
  EXPECT_NEAR(bytes->value, 1 * mib, 0.03 * mib);
}

// Of few lines chance would speak, of few points noise; and beyond the last cache too little has been walked.
TEST(HitsAlone, SayNothingOfFewLinesOrPointsOrWhereTheSweepEnds) {
  const FittedHierarchy small = hierarchy(0.8 * mib);
  const FittedHierarchy large = hierarchy(1 * mib);
  EXPECT_FALSE(size_from_hit_rate(curves(small, large), small, 0, 48 * kib, true));
  const FittedHierarchy far = hierarchy(1 * mib, 160 * mib);
  EXPECT_FALSE(size_from_hit_rate(curves(far, far), far, 2, 160 * mib, true));
  EXPECT_FALSE(size_from_hit_rate(curves(small, large, 3), small, 1, 0.8 * mib, true));
}

// As where others take most of the third cache.
TEST(HitsAlone, TellTheSizeWhereTheNextCacheIsFiveTimesAsLarge) {
  const FittedHierarchy fitted = hierarchy(0.85 * mib, 5 * mib);
  const std::optional<Bracket> bytes =
      size_from_hit_rate(curves(fitted, hierarchy(1 * mib, 5 * mib)), fitted, 1, 0.85 * mib, true);
  ASSERT_TRUE(bytes);
  EXPECT_NEAR(bytes->value, 1 * mib, 0.03 * mib);
}

// Then what misses the second goes to memory as well.
TEST(HitsAlone, SayNothingWhereTheNextCacheIsTooNear) {
  const FittedHierarchy fitted = hierarchy(0.8 * mib, 2.5 * mib);
  EXPECT_FALSE(size_from_hit_rate(curves(fitted, hierarchy(1 * mib, 2.5 * mib)), fitted, 1, 0.8 * mib, true));
}

}  // namespace
}  // namespace sonde::analysis
