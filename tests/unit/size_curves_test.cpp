// Curves over the working set without a fit: flat stretches, where a level is alone, and two kinds of memory compared.

#include <gtest/gtest.h>

#include "analysis/size_curves.hpp"

namespace sonde::analysis {
namespace {

/// Values at 4 KiB, 8 KiB and so on.
std::map<double, double> curve_of(const std::vector<double>& values) {
  std::map<double, double> curve;
  double bytes = 4096;
  for (const double value : values) {
    curve[bytes] = value;
    bytes *= 2;
  }
  return curve;
}

TEST(FlatStretches, EachLevelIsOneAndTheStepsBetweenAreNone) {
  const auto found = flat_stretches(curve_of({100, 99, 101, 70, 50, 49, 30, 10, 10.5}), Trend::falls);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].first_bytes, 4096);
  EXPECT_EQ(found[0].last_bytes, 4 * 4096);
  EXPECT_EQ(found[0].value, 100);
  EXPECT_EQ(found[1].first_bytes, 16 * 4096);
  EXPECT_EQ(found[1].last_bytes, 32 * 4096);
  EXPECT_EQ(found[2].last_bytes, 256 * 4096);
}

TEST(FlatStretches, WhatIsSlowForWantOfWorkIsNoLevel) {
  const auto found = flat_stretches(curve_of({20, 22, 45, 100, 100, 100, 30, 30}), Trend::falls);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].first_bytes, 8 * 4096);
}

TEST(FlatStretches, OneBadPointDoesNotCutALevelInTwo) {
  const auto found = flat_stretches(curve_of({100, 100, 60, 101, 100, 99, 30, 31}), Trend::falls);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].first_bytes, 4096);
  EXPECT_EQ(found[0].last_bytes, 32 * 4096);
}

TEST(FlatStretches, LatenciesRise) {
  const auto found = flat_stretches(curve_of({2, 2, 2.1, 5, 5, 12, 90, 100}), Trend::rises);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NEAR(found[2].value, 95, 1);
}

TEST(FlatStretches, NothingIsFoundInASlopeOrInNothing) {
  EXPECT_TRUE(flat_stretches(curve_of({100, 70, 50, 35, 20}), Trend::falls).empty());
  EXPECT_TRUE(flat_stretches({}, Trend::falls).empty());
  EXPECT_TRUE(flat_stretches(curve_of({5}), Trend::falls).empty());
}

constexpr double mib = 1 << 20;

const LatencyBySize own{{1 * mib, 90}, {4 * mib, 150}, {16 * mib, 165}, {64 * mib, 290}, {256 * mib, 300}};

LatencyBySize scaled(double factor) {
  LatencyBySize curve = own;
  for (auto& [bytes, ns] : curve) ns *= factor;
  return curve;
}

TEST(MemoryDistance, TheSameWithinNoiseIsAlike) {
  for (const double factor : {0.9, 1.0, 1.15}) {
    const auto found = compare_memories(own, scaled(factor));
    ASSERT_TRUE(found);
    EXPECT_GT(found->alike_margin, 0);
    EXPECT_LT(found->bus_margin, 0);
    EXPECT_LT(found->bypass_margin, 0);
    EXPECT_EQ(found->bytes, 256 * mib);
  }
}

TEST(MemoryDistance, AtItsHighestWhereACacheServesTheOtherIsABypass) {
  const auto found =
      compare_memories(own, {{1 * mib, 95}, {4 * mib, 280}, {16 * mib, 290}, {64 * mib, 300}, {256 * mib, 305}});
  ASSERT_TRUE(found);
  EXPECT_GT(found->bypass_margin, 0);
  EXPECT_EQ(found->bypassed_bytes, 4 * mib);
  EXPECT_LT(found->bus_margin, 0);
}

TEST(MemoryDistance, AMicrosecondIsABusAndMayBypassACacheAsWell) {
  const auto far =
      compare_memories(own, {{1 * mib, 95}, {4 * mib, 400}, {16 * mib, 600}, {64 * mib, 980}, {256 * mib, 1000}});
  ASSERT_TRUE(far);
  EXPECT_GT(far->bus_margin, 0);
  EXPECT_LT(far->bypass_margin, 0);
  EXPECT_LT(far->alike_margin, 0);
  const auto both =
      compare_memories(own, {{1 * mib, 95}, {4 * mib, 990}, {16 * mib, 995}, {64 * mib, 1000}, {256 * mib, 1000}});
  ASSERT_TRUE(both);
  EXPECT_GT(both->bus_margin, 0);
  EXPECT_GT(both->bypass_margin, 0);
  EXPECT_EQ(both->bypassed_bytes, 4 * mib);
}

TEST(MemoryDistance, HalfAgainAsMuchIsNeitherAlikeNorABus) {
  const auto found = compare_memories(own, scaled(1.5));
  ASSERT_TRUE(found);
  EXPECT_LT(found->alike_margin, 0);
  EXPECT_LT(found->bus_margin, 0);
}

TEST(MemoryDistance, OnlySizesOfBothCount) {
  EXPECT_FALSE(compare_memories(own, {{3 * mib, 100}}));
  EXPECT_FALSE(compare_memories({}, own));
  const auto one = compare_memories(own, {{64 * mib, 290}});
  ASSERT_TRUE(one);
  EXPECT_GT(one->alike_margin, 0);
}

}  // namespace
}  // namespace sonde::analysis
