// Flat stretches of curves: where a level is alone. Never a size.

#include "analysis/size_curves.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace sonde::analysis
