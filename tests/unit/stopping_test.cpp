#include "measure/repetitions.hpp"

#include <gtest/gtest.h>

namespace sonde::measure {
namespace {

using device::Nanoseconds;

constexpr Limits limits{
    .stretch = Nanoseconds(1e6), .least_repetitions = 7, .most_repetitions = 20, .device_time = Nanoseconds(1e9)};

/// Repetitions until the rule is done, when value n is `values[n % count]` and each takes `spent`.
int repetitions(const std::vector<double>& values, Nanoseconds spent = Nanoseconds(1e6), Limits of = limits) {
  StoppingRule rule(of);
  int count = 0;
  while (!rule.done()) rule.add(values[static_cast<std::size_t>(count++) % values.size()], spent);
  return count;
}

TEST(StoppingRule, SevenAgreeingValuesAreEnough) { EXPECT_EQ(repetitions({100.0}), 7); }

TEST(StoppingRule, ValuesThatNeverAgreeEndAtTheCap) { EXPECT_EQ(repetitions({100, 110, 120, 130}), 20); }

TEST(StoppingRule, GoesOnUntilTheIntervalIsWithinOnePercent) {
  // The whole range of seven values counts, of nine the 2nd to the 8th: then the two outliers are outside.
  EXPECT_EQ(repetitions({100, 100, 90, 100, 110, 100, 100, 100, 100}), 9);
}

TEST(StoppingRule, OnePercentIsHalfTheIntervalOverTheMedian) {
  EXPECT_EQ(repetitions({99.1, 100, 100.9, 100, 100, 100, 100}), 7);
  EXPECT_GT(repetitions({98.9, 100, 101.1, 100, 100, 100, 100}), 7);
}

TEST(StoppingRule, SpentDeviceTimeEndsItButNotBeforeTheLeastRepetitions) {
  EXPECT_EQ(repetitions({100, 200}, Nanoseconds(1e9)), 7);
  EXPECT_EQ(repetitions({100, 200}, Nanoseconds(1e8)), 10);
}

TEST(StoppingRule, AVisitIsShortAndLapsOnACpuAreWaitedForBriefly) {
  const Limits gpu = limits_of(device::DeviceType::integrated);
  const Limits cpu = limits_of(device::DeviceType::cpu);
  for (const Limits& one : {gpu, cpu}) {
    EXPECT_EQ(one.least_repetitions, 7);
    EXPECT_GE(one.most_repetitions, one.least_repetitions);
    EXPECT_LE(2 * one.stretch, one.device_time);
    EXPECT_LE(one.stretch, longest_dispatch);
    EXPECT_LE(one.device_time, Nanoseconds(200e6));
  }
  EXPECT_EQ(gpu.stretch, cpu.stretch);
  EXPECT_LE(cpu.warm_up, gpu.warm_up / 5);
}

}  // namespace
}  // namespace sonde::measure
