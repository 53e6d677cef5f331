// Cycles as a second unit: what is made of a clock once it is known. How it becomes known is core_clock_test.cpp's.

#include "measure/cycles.hpp"

#include <gtest/gtest.h>

#include "support/walk_workload.hpp"

namespace sonde::measure {
namespace {

const CoreClock two_gigahertz{.mhz = 2000, .source = "shader-clock"};

Measurement measured(double bytes, double mhz, const std::string& path = "vector") {
  Measurement one{.point = test::point_of(bytes, path), .unit = "ns", .values = {10, 11, 30}, .state = {}};
  if (mhz > 0) one.state.core_clock = {.mhz = mhz, .source = "shader-clock"};
  return one;
}

TEST(Cycles, TheClockOfSeveralMomentsIsTheirMedian) {
  const std::vector<std::optional<CoreClock>> clocks{CoreClock{1000, "a"}, CoreClock{2000, "a"}, CoreClock{1100, "a"}};
  ASSERT_TRUE(summarize(clocks));
  EXPECT_EQ(summarize(clocks)->mhz, 1100);
  EXPECT_EQ(summarize(clocks)->source, "a");
}

TEST(Cycles, AMomentWithoutAClockLeavesThePointWithoutOne) {
  EXPECT_FALSE(summarize({}));
  EXPECT_FALSE(summarize(std::vector<std::optional<CoreClock>>{two_gigahertz, std::nullopt}));
}

TEST(Cycles, AreTheSameMeasurementInAnotherUnit) {
  const Measurement ns = measured(4096, 2500);
  const auto cycles = in_cycles(ns);
  ASSERT_TRUE(cycles);
  EXPECT_EQ(cycles->unit, "cycles");
  EXPECT_EQ(cycles->values, (std::vector<double>{25, 27.5, 75}));
  EXPECT_EQ(cycles->point.series, ns.point.series);
  EXPECT_EQ(cycles->point.x, ns.point.x);
  EXPECT_EQ(cycles->state.core_clock->mhz, 2500);
}

TEST(Cycles, OfWhatIsNoTimeOrHasNoClockThereAreNone) {
  EXPECT_FALSE(in_cycles(measured(4096, 0)));
  Measurement bandwidth = measured(4096, 2000);
  bandwidth.unit = "GB/s";
  EXPECT_FALSE(in_cycles(bandwidth));
}

TEST(Cycles, OfALevelAreByTheMedianClockOfItsOwnCurve) {
  const std::vector<Measurement> all{measured(1024, 2000), measured(2048, 2600), measured(4096, 2500),
                                     measured(8192, 0),    measured(1024, 100, "scalar")};
  std::vector<FoundLevel> levels(2);
  levels[0].series = test::point_of(1).series;
  levels[0].found.latency_ns = {.low = 9, .value = 10, .high = 12};
  levels[1].series = {{"path", "image"}};
  add_cycles(levels, all);
  ASSERT_TRUE(levels[0].cycles);
  EXPECT_DOUBLE_EQ(levels[0].cycles->low, 22.5);
  EXPECT_DOUBLE_EQ(levels[0].cycles->value, 25);
  EXPECT_DOUBLE_EQ(levels[0].cycles->high, 30);
  EXPECT_FALSE(levels[1].cycles);
}

}  // namespace
}  // namespace sonde::measure
