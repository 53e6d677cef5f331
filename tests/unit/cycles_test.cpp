// Cycles as a second unit: what is made of a clock once it is known. How it becomes known is core_clock_test.cpp's.

#include "measure/cycles.hpp"

#include <gtest/gtest.h>

#include "support/walk_workload.hpp"

namespace sonde::measure {
namespace {

const CoreClock two_gigahertz{.mhz = 2000, .source = "shader-clock"};

Measurement measured(double bytes, double mhz, Path path = Path::vector) {
  Measurement one{.point = test::point_of(bytes, path), .unit = "ns", .values = {10, 11, 30}};
  if (mhz > 0) one.state.core_clock = {.mhz = mhz, .source = "shader-clock"};
  return one;
}

/// A chain at 2 GHz, whose counter costs a little to read and whose dispatch costs a launch.
CountedChain counted(double cycles_per_step) {
  CountedChain chain{.few_steps = 4096, .many_steps = 16384};
  const auto ticks = [=](double steps) { return 60 + cycles_per_step * steps; };
  const auto time_ns = [=](double steps) { return 8000 + cycles_per_step * steps / 2; };
  chain.few_ticks = ticks(chain.few_steps);
  chain.many_ticks = ticks(chain.many_steps);
  chain.few_ns = time_ns(chain.few_steps);
  chain.many_ns = time_ns(chain.many_steps);
  return chain;
}

TEST(Cycles, OfAStepAreWhatTheCounterSays) {
  for (const double cycles : {2.01, 4.0, 4.23, 12.0, 31.9}) {
    const auto found = cycles_per_step(counted(cycles), cycles / 2);
    ASSERT_TRUE(found) << cycles;
    EXPECT_NEAR(*found, cycles, 1e-6);
  }
}

TEST(Cycles, OfAStepAreNoneThatArithmeticDoesNotTake) {
  for (const double cycles : {0.5, 1.9, 32.5, 60.0}) {
    EXPECT_FALSE(cycles_per_step(counted(cycles), cycles / 2)) << cycles;
  }
}

TEST(Cycles, OfAStepAreNoneWhereTheCounterIsUneven) {
  for (const double factor : {0.5, 0.9, 1.1, 2.0}) {
    CountedChain chain = counted(4);
    chain.many_ticks *= factor;
    EXPECT_FALSE(cycles_per_step(chain, 2)) << factor;
  }
}

TEST(Cycles, OfAStepAreNoneByAStatedClockThatNoGpuHas) {
  EXPECT_TRUE(cycles_per_step(2, 2000, std::nullopt));
  EXPECT_FALSE(cycles_per_step(40, 100, std::nullopt));
  EXPECT_FALSE(cycles_per_step(0.8, 5000, std::nullopt));
  EXPECT_FALSE(cycles_per_step(2, 0, std::nullopt));
}

TEST(Cycles, TheClockOfSeveralMomentsIsTheirMedian) {
  const std::vector<std::optional<CoreClock>> clocks{CoreClock{1000, "a"}, CoreClock{2000, "a"},
                                                     CoreClock{1100.0004, "a"}};
  ASSERT_TRUE(summarize(clocks));
  EXPECT_EQ(summarize(clocks)->mhz, 1100) << "as the record has it";
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
  EXPECT_EQ(cycles->point.words, ns.point.words);
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
                                     measured(8192, 0), measured(1024, 100, Path::scalar)};
  std::vector<FoundLevel> levels(2);
  levels[0].words = test::point_of(1).words;
  levels[0].found.latency_ns = {.low = 9, .value = 10, .high = 12};
  levels[1].words = {.path = Path::image};
  add_cycles(levels, all);
  ASSERT_TRUE(levels[0].cycles);
  EXPECT_DOUBLE_EQ(levels[0].cycles->low, 22.5);
  EXPECT_DOUBLE_EQ(levels[0].cycles->value, 25);
  EXPECT_DOUBLE_EQ(levels[0].cycles->high, 30);
  EXPECT_FALSE(levels[1].cycles);
}

}  // namespace
}  // namespace sonde::measure
