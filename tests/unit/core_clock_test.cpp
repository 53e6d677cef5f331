// What tells the core clock, on devices whose counters and clocks are known: it has to be right or to say nothing.

#include "workloads/arithmetic/arithmetic.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/scripted_device.hpp"

namespace sonde::workloads {
namespace {

using measure::CoreClock;
using test::Script;
using test::ScriptedDevice;

using ClockNow = std::function<std::optional<CoreClock>()>;

constexpr measure::Settled settled{.stable = true};

ClockNow clock_reader(device::Device& device, std::optional<double> read_mhz = std::nullopt,
                      measure::Settled before = settled) {
  return core_clock_of(device, before, [read_mhz] { return read_mhz; }, [] {});
}

/// The clock of a device, read once.
std::optional<CoreClock> clock_of(const Script& script, std::optional<double> read_mhz = std::nullopt) {
  ScriptedDevice device(script);
  const ClockNow now = clock_reader(device, read_mhz);
  return now ? now() : std::nullopt;
}

/// Four cycles a step at 2 GHz.
Script counting() { return {.alu_step_ns = 2, .core_clock = true}; }

/// The same without a counter.
Script stating() { return {.alu_step_ns = 2, .clock_mhz = 2000}; }

void expect_mhz(const std::optional<CoreClock>& clock, double mhz, const std::string& source) {
  ASSERT_TRUE(clock);
  EXPECT_NEAR(clock->mhz, mhz, 1e-3 * mhz);
  EXPECT_EQ(clock->source, source);
}

TEST(CoreClock, ACounterOfCyclesTellsIt) { expect_mhz(clock_of(counting()), 2000, "shader-clock"); }

TEST(CoreClock, ACounterOf20BitsMayWrapMeanwhile) {
  for (const double cycles : {2.0, 4.0, 8.0, 31.9}) {
    Script script = counting();
    script.counter_bits = 20;
    script.counted_per_step = cycles;
    script.alu_step_ns = cycles / 2;
    expect_mhz(clock_of(script), 2000, "shader-clock");
  }
}

TEST(CoreClock, TheLoopAroundTheStepsIsInTheCount) {
  Script script = counting();
  script.counted_per_step = 4.28;
  script.alu_step_ns = 2.14;
  expect_mhz(clock_of(script), 2000, "shader-clock");
}

TEST(CoreClock, NoCountedDispatchTakesHalfOfWhat20BitsCount) {
  Script script = counting();
  script.counted_per_step = 31.9;
  script.alu_step_ns = 15;
  ScriptedDevice device(script);
  ASSERT_TRUE(clock_reader(device));
  std::uint32_t longest = 0;
  for (const test::Dispatch& dispatch : device.dispatches()) {
    if (dispatch.kernel == "clock_rate") longest = std::max(longest, dispatch.trips);
  }
  EXPECT_GT(longest, 0u);
  EXPECT_LE(longest * 64 * 31.9, 1 << 19);
}

TEST(CoreClock, ACounterOfTimeIsNone) {
  for (const double mhz : {19.2, 100.0, 10000.0}) {
    Script script = counting();
    script.counter_mhz = mhz;
    EXPECT_FALSE(clock_of(script)) << mhz;
    script.clock_mhz = 2000;
    expect_mhz(clock_of(script), 2000, "arithmetic-chain");
  }
}

TEST(CoreClock, ACounterOfTimeIsNoneThoughItCountsCyclesEnough) {
  Script script = counting();
  script.alu_step_ns = 40;  // 4 ticks of 100 MHz
  script.counter_mhz = 100;
  EXPECT_FALSE(clock_of(script));
}

TEST(CoreClock, ACounterThatStandsStillIsNone) {
  Script script = counting();
  script.counted_per_step = 0;
  EXPECT_FALSE(clock_of(script));
}

TEST(CoreClock, ACounterOfFewerBitsThanADispatchTakesIsNone) {
  Script script = counting();
  script.counter_bits = 14;
  EXPECT_FALSE(clock_of(script));
}

TEST(CoreClock, WhatWasCompiledToOtherCodeIsNotComparedWithTheChain) {
  Script script = counting();
  script.counted_slowdown = 1.5;
  EXPECT_FALSE(clock_of(script));
}

TEST(CoreClock, WithoutACounterAWholeNumberOfCyclesAStepTellsIt) {
  expect_mhz(clock_of(stating()), 2000, "arithmetic-chain");
  Script script = stating();
  script.alu_step_ns = 2.04;  // 4.08 cycles at the stated clock: 4 at 1961 MHz
  expect_mhz(clock_of(script), 4 / 2.04 * 1e3, "arithmetic-chain");
}

TEST(CoreClock, ADeviceBelowItsStatedClockSaysNothing) {
  for (const double cycles : {4.5, 4.15, 3.85, 8.15, 25.2, 0.98, 40.0}) {
    Script script = stating();
    script.alu_step_ns = cycles / 2;
    EXPECT_FALSE(clock_of(script)) << cycles;
  }
}

TEST(CoreClock, SensorsThatSayAnotherClockThanTheStatedOneAreBelieved) {
  Script script = stating();
  script.alu_step_ns = 4;  // 8 cycles at 2 GHz, or 4 at 1 GHz
  EXPECT_FALSE(clock_of(script, 1000));
  EXPECT_TRUE(clock_of(script, 1950));
  EXPECT_TRUE(clock_of(counting(), 1000)) << "the counter knows better";
}

TEST(CoreClock, AClockThatNeverSettledIsNotComparedWithTheStatedOne) {
  ScriptedDevice device(stating());
  EXPECT_FALSE(clock_reader(device, std::nullopt, {.stable = false}));
  ScriptedDevice with_counter(counting());
  EXPECT_TRUE(clock_reader(with_counter, std::nullopt, {.stable = false}));
}

TEST(CoreClock, WhereNothingIsStatedNothingIsTold) { EXPECT_FALSE(clock_of({.alu_step_ns = 2})); }

TEST(CoreClock, OfACpuNothingIsTold) {
  Script script = counting();
  script.type = device::DeviceType::cpu;
  script.clock_mhz = 2000;
  ScriptedDevice device(script);
  EXPECT_FALSE(clock_reader(device));
  EXPECT_TRUE(device.dispatches().empty());
}

TEST(CoreClock, FollowsTheClockAfterwards) {
  for (Script script : {counting(), stating()}) {
    const auto slower = std::make_shared<double>(1);
    script.slowdown = [slower](std::size_t, double) { return *slower; };
    ScriptedDevice device(script);
    const ClockNow now = clock_reader(device);
    *slower = 1.6;
    expect_mhz(now(), 1250, script.core_clock ? "shader-clock" : "arithmetic-chain");
  }
}

TEST(CoreClock, AskingTakesLessThanAMillisecondOfTheDevice) {
  for (const double step_ns : {0.5, 2.0, 15.0}) {
    for (const double launch_ns : {1e3, 20e3, 300e3}) {
      ScriptedDevice device({.alu_step_ns = step_ns, .clock_mhz = 4 / step_ns * 1e3, .launch_ns = launch_ns});
      const ClockNow now = clock_reader(device);
      if (!now) continue;  // 8 GHz
      const std::size_t before = device.dispatches().size();
      (void)now();
      double work_ns = 0;
      for (std::size_t i = before; i < device.dispatches().size(); ++i) work_ns += device.dispatches()[i].work_ns;
      EXPECT_LT(work_ns, 0.8e6) << step_ns;
      EXPECT_GT(work_ns, 0.3e6) << step_ns;
    }
  }
}

TEST(CoreClock, AnInterruptionAtTheBeginningDoesNotShortenTheChain) {
  for (std::size_t interrupted = 0; interrupted < 4; ++interrupted) {
    Script script = stating();
    script.slowdown = [interrupted](std::size_t dispatch, double) { return dispatch == interrupted ? 1000.0 : 1.0; };
    ScriptedDevice device(script);
    const ClockNow now = clock_reader(device);
    ASSERT_TRUE(now);
    (void)now();
    EXPECT_GT(device.dispatches().back().work_ns, 90e3) << interrupted;
  }
}

TEST(CoreClock, NoiseAndInterruptionsMoveItLittle) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Script script = counting();
    script.noise = 0.01;
    script.interruption_share = 0.02;
    script.first_launch_ns = 5e6;
    script.seed = seed;
    const auto clock = clock_of(script);
    ASSERT_TRUE(clock);
    EXPECT_NEAR(clock->mhz, 2000, 30) << seed;
  }
}

TEST(CoreClock, TwoInterruptionsOfThreeDispatchesDoNotTellAnotherClock) {
  Script script = counting();
  const auto asked_at = std::make_shared<std::size_t>(1'000'000);
  script.slowdown = [asked_at](std::size_t dispatch, double) {
    // Of the first three pairs, two of the long dispatches.
    return dispatch == *asked_at + 1 || dispatch == *asked_at + 3 ? 3.0 : 1.0;
  };
  ScriptedDevice device(script);
  const ClockNow now = clock_reader(device);
  ASSERT_TRUE(now);
  *asked_at = device.dispatches().size();
  expect_mhz(now(), 2000, "shader-clock");
}

TEST(CoreClock, WorkThatIsNotDoneIsAnError) {
  for (Script script : {counting(), stating()}) {
    script.loop_limit = 3;
    ScriptedDevice device(script);
    EXPECT_THROW((void)clock_reader(device), device::Error);
  }
}

TEST(CoreClock, AClockThatStandsStillIsNoneAndDoesNotHang) {
  Script script = counting();
  script.clock_stands_still = true;
  script.most_dispatches = 500;
  EXPECT_FALSE(clock_of(script));
}

}  // namespace
}  // namespace sonde::workloads
