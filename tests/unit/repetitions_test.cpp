// The runner's heart against a device whose true latency is known: whatever its clock suffers, the values are
// true.

#include "measure/repetitions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/statistics.hpp"
#include "support/scripted_device.hpp"
#include "support/walk_workload.hpp"

namespace sonde::measure {
namespace {

using test::Dispatch;
using test::Script;
using test::ScriptedDevice;
using test::walk_over;

constexpr double true_ns = 10;  // Script::hop_ns
constexpr double small_bytes = 4096;
constexpr double large_bytes = 8 << 20;

Repetitions repeated(ScriptedDevice& device, double bytes) {
  return repeat(walk_over(device, bytes), limits_of(), [] {});
}

SteppedWork independent_over(ScriptedDevice& device, double bytes) {
  const Point point =
      point_on(probes::latency_probe::independent, {.bytes = bytes}, probes::latency_probe::vector_path);
  return test::stepped(point.curve->prepare(device, point, {.seed = 7}));
}

/// A curve that the time of a step tells too.
constexpr Curve bus{.name = "bus", .words = {.bytes_counted = BytesCounted::bus}, .unit = "ns"};

double median(const Repetitions& repetitions) { return analysis::quantile(repetitions.values, 0.5); }

std::uint64_t hops(const Dispatch& dispatch) { return std::uint64_t{dispatch.trips} * 8; }

/// Hops of all dispatches before the timed pairs, which are the last ones.
std::uint64_t hops_before_timing(const ScriptedDevice& device, const Repetitions& repetitions) {
  const auto& all = device.dispatches();
  std::uint64_t sum = 0;
  for (std::size_t index = 0; index + 2 * repetitions.values.size() < all.size(); ++index) sum += hops(all[index]);
  return sum;
}

TEST(Repetitions, WithoutNoiseTheValuesAreTheTrueLatency) {
  for (const double bytes : {64.0, small_bytes, large_bytes}) {
    ScriptedDevice device({});
    const Repetitions repetitions = repeated(device, bytes);
    EXPECT_EQ(repetitions.values.size(), 7u);
    for (const double value : repetitions.values) EXPECT_NEAR(value, true_ns, 1e-6);
  }
}

TEST(Repetitions, WhatElseATimeSaysIsReadFromTheSameRepetitions) {
  ScriptedDevice device({.noise = 0.02});
  SteppedWork work = walk_over(device, small_bytes);
  work.derived.push_back({.curve = &bus, .value = [](double ns) { return 1.5 * ns; }});
  const Repetitions repetitions = repeat(work, limits_of(), [] {});
  ASSERT_EQ(repetitions.extra.size(), 1u);
  EXPECT_EQ(repetitions.extra[0].curve, &bus);
  ASSERT_EQ(repetitions.extra[0].values.size(), repetitions.values.size());
  for (std::size_t i = 0; i < repetitions.values.size(); ++i) {
    EXPECT_DOUBLE_EQ(repetitions.extra[0].values[i], 1.5 * repetitions.values[i]);
  }
}

TEST(Repetitions, LaunchCostDoesNotReachTheValues) {
  // 5 ms: more than a whole stretch.
  for (const double launch_ns : {0.0, 8e3, 200e3, 5e6}) {
    ScriptedDevice device({.launch_ns = launch_ns});
    const Repetitions repetitions = repeated(device, small_bytes);
    EXPECT_NEAR(median(repetitions), true_ns, 1e-6) << launch_ns;
    EXPECT_NEAR(repetitions.launch_ns, launch_ns, 1) << launch_ns;
  }
}

TEST(Repetitions, WhatALaunchPushesOutOfTheCachesDoesNotReachTheValues) {
  // Drivers and the system were seen to push out half of the lines, each of which then costs three times a hop.
  for (const Order order : {Order::cycle, Order::independent}) {
    for (const double bytes : {small_bytes, 65536.0, 524288.0, 4194304.0}) {
      // The last of the lines that are accessed at random come in long after most.
      if (order == Order::independent && bytes > 1e6) continue;
      ScriptedDevice device({.cold_word_ns = 2 * true_ns, .pushed_out_share = 0.5});
      const SteppedWork work = order == Order::cycle ? walk_over(device, bytes) : independent_over(device, bytes);
      const Repetitions repetitions = repeat(work, limits_of(), [] {});
      const std::string where = (order == Order::cycle ? "cycle " : "independent ") + std::to_string(bytes);
      EXPECT_NEAR(median(repetitions), true_ns, 0.01 * true_ns) << where;
      EXPECT_NEAR(repetitions.launch_ns, 20e3, 1e3) << where;
    }
  }
}

TEST(Repetitions, WhereALapIsLongAgainstAStretchShortDispatchesAddNoNoise) {
  ScriptedDevice device({});
  repeated(device, 2 * large_bytes);
  EXPECT_EQ(hops(*(device.dispatches().end() - 2)), 8u);
  // Independent accesses take in bit by bit what they miss after a launch.
  ScriptedDevice other({});
  const Repetitions repetitions = repeat(independent_over(other, large_bytes), limits_of(), [] {});
  const std::uint64_t few = hops(*(other.dispatches().end() - 2));
  EXPECT_GT(few, repetitions.steps / 5);
  EXPECT_LE(few, repetitions.steps / 4);
}

TEST(Repetitions, DispatchesAreLongEnoughToTakeASecondCacheInAgain) {
  constexpr double hop_ns = 40;
  const auto length_ns = [](double bytes, bool cycle) {
    ScriptedDevice device({.hop_ns = [](std::uint64_t) { return hop_ns; }});
    const SteppedWork work = cycle ? walk_over(device, bytes) : independent_over(device, bytes);
    return static_cast<double>(repeat(work, limits_of(), [] {}).steps) * hop_ns;
  };
  // Three accesses of 40 ns to each line of 256 KiB take half a millisecond, a quarter of 2 ms. Where they would take
  // 10 ms the set is a larger cache's.
  EXPECT_NEAR(length_ns(256 << 10, false), 2e6, 0.2e6);
  EXPECT_NEAR(length_ns(512 << 10, false), 4e6, 0.2e6);
  EXPECT_NEAR(length_ns(2 << 20, false), 8e6, 0.2e6);
  EXPECT_NEAR(length_ns(8 << 20, false), 2e6, 0.2e6);
  // A lap of 1 MiB takes 0.65 ms. A quarter of 8 ms is not one of 4 MiB, and less than one is of no use.
  EXPECT_NEAR(length_ns(512 << 10, true), 2e6, 0.1e6);
  EXPECT_NEAR(length_ns(1 << 20, true), 4 * 0.655e6, 0.1e6);
  EXPECT_NEAR(length_ns(2 << 20, true), 4 * 1.31e6, 0.1e6);
  EXPECT_NEAR(length_ns(4 << 20, true), 2e6, 0.1e6);
}

TEST(Repetitions, APairWhoseLongDispatchTookLessTimeIsTakenAgain) {
  // Something holds up a short dispatch by more than a long one lasts, now and then.
  const auto is_held_up = [](std::size_t dispatch) { return dispatch % 10 == 4; };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ScriptedDevice device(
        {.noise = 0.02,
         .slowdown = [&](std::size_t dispatch, double) { return is_held_up(dispatch) ? 3000.0 : 1.0; },
         .seed = seed});
    const Repetitions repetitions = repeated(device, large_bytes);
    EXPECT_GE(repetitions.values.size(), 7u);
    for (const double value : repetitions.values) EXPECT_GT(value, 0);
  }
}

TEST(Repetitions, WhereEverythingGetsFasterNoTimeIsTooShort) {
  // From the second, third … pair on everything takes a tenth of the time. What is taken off a pair may be what a
  // faster one took, never more than its own. (Where most were slow, all pairs are taken again.)
  ScriptedDevice slow_throughout({.slowdown = [](std::size_t, double) { return 10.0; }});
  const std::size_t pairs = repeat(independent_over(slow_throughout, large_bytes), limits_of(), [] {}).values.size();
  for (std::size_t slow_pairs = 1; slow_pairs <= (pairs + 1) / 2; ++slow_pairs) {
    const std::size_t changed = slow_throughout.dispatches().size() - 2 * pairs + 2 * slow_pairs;
    ScriptedDevice device(
        {.slowdown = [changed](std::size_t dispatch, double) { return dispatch < changed ? 10.0 : 1.0; }});
    const std::vector<double> values = repeat(independent_over(device, large_bytes), limits_of(), [] {}).values;
    for (std::size_t pair = 0; pair < values.size(); ++pair) {
      const bool slow = pair < slow_pairs;
      EXPECT_GE(values[pair], (slow ? 10 : 1) * true_ns - 1e-6) << pair << " of " << slow_pairs;
      EXPECT_LE(values[pair], (slow ? 13.5 : 1.01) * true_ns) << pair << " of " << slow_pairs;
    }
  }
}

TEST(Repetitions, OneSidedNoiseMovesTheMedianByItsMedianAtMost) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ScriptedDevice device({.noise = 0.02, .seed = seed});
    const double value = median(repeated(device, small_bytes));
    EXPECT_GT(value, true_ns) << seed;
    EXPECT_LT(value, true_ns * 1.02) << seed;
  }
}

TEST(Repetitions, InterruptionsOfEveryFifthDispatchDoNotMoveTheMedian) {
  int close = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    ScriptedDevice device({.noise = 0.01, .interruption_share = 0.2, .seed = seed});
    const double value = median(repeated(device, small_bytes));
    if (value > true_ns * 0.99 && value < true_ns * 1.03) ++close;
  }
  // More than half of 7 repetitions are interrupted in 3 of 100 runs; then no median can help.
  EXPECT_GE(close, 36);
}

TEST(Repetitions, PairsThatWereInterruptedAreMadeAgainAndLeftOut) {
  // Three of five pairs take half as long again: no median stands that, but whose thread lost its core is known.
  const auto is_interrupted = [](std::size_t dispatch) { return dispatch / 2 % 5 < 3; };
  ScriptedDevice device(
      {.slowdown = [&](std::size_t dispatch, double) { return is_interrupted(dispatch) ? 1.5 : 1.0; }});
  SteppedWork work = walk_over(device, small_bytes);
  EXPECT_GT(median(repeat(work, limits_of(), [] {})), true_ns * 1.1);
  work.interrupted = [&] { return is_interrupted(device.dispatches().size() - 1); };
  const Repetitions repetitions = repeat(work, limits_of(), [] {});
  EXPECT_GE(repetitions.values.size(), 7u);
  for (const double value : repetitions.values) EXPECT_NEAR(value, true_ns, true_ns * 0.01);
  EXPECT_NEAR(repetitions.interrupted, 0.6, 0.1);
  EXPECT_FALSE(repetitions.disturbed);
}

TEST(Repetitions, WhereEveryPairIsInterruptedAllAreKept) {
  ScriptedDevice device({});
  SteppedWork work = walk_over(device, small_bytes);
  work.interrupted = [] { return true; };
  const Repetitions repetitions = repeat(work, limits_of(), [] {});
  EXPECT_GE(repetitions.values.size(), 7u);
  EXPECT_EQ(repetitions.interrupted, 1);
  EXPECT_TRUE(repetitions.disturbed);
}

TEST(Repetitions, NoTimeBelowNothingIsAValue) {
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    ScriptedDevice device({.interruption_share = 0.5, .interruption_ns = 50e6, .seed = seed});
    try {
      const Repetitions repetitions = repeated(device, small_bytes);
      EXPECT_GT(analysis::quantile(repetitions.values, 0.25), 0) << seed;
    } catch (const device::TooShort& reason) {
      EXPECT_NE(std::string(reason.what()).find("measure again when it is idle"), std::string::npos) << reason.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 40);
}

TEST(Repetitions, WhatWasHiddenOnceIsMeasuredAgain) {
  ScriptedDevice calm({});
  const std::size_t pairs = repeated(calm, small_bytes).values.size();
  const std::size_t end = calm.dispatches().size();
  const std::size_t begin = end - 2 * pairs;
  // All short dispatches of the first pairs take 160 ms instead of 160 ns.
  ScriptedDevice device({.slowdown = [&](std::size_t dispatch, double) {
    return dispatch >= begin && dispatch < end && (dispatch - begin) % 2 == 0 ? 1e6 : 1.0;
  }});
  const Repetitions repetitions = repeated(device, small_bytes);
  EXPECT_GT(device.dispatches().size(), end);
  for (const double value : repetitions.values) EXPECT_NEAR(value, true_ns, 1e-6);
}

TEST(Repetitions, ASlowFirstLaunchNeverReachesTheValues) {
  ScriptedDevice device({.first_launch_ns = 2e9});
  const Repetitions repetitions = repeated(device, small_bytes);
  for (const double value : repetitions.values) EXPECT_NEAR(value, true_ns, 1e-6);
  EXPECT_NEAR(repetitions.launch_ns, 20e3, 1);
}

TEST(Repetitions, ASlowFirstLaunchDoesNotShortenTheDispatches) {
  ScriptedDevice plain({});
  ScriptedDevice slow({.first_launch_ns = 2e9});
  EXPECT_EQ(repeated(slow, small_bytes).steps, repeated(plain, small_bytes).steps);
}

TEST(Repetitions, ATimedDispatchIsAStretch) {
  ScriptedDevice device({});
  const double work_ns = static_cast<double>(repeated(device, small_bytes).steps) * true_ns;
  EXPECT_GT(work_ns, limits_of().stretch.count() / 4);
  EXPECT_LE(work_ns, limits_of().stretch.count());
}

TEST(Repetitions, AnInterruptionWhileTheLengthIsFoundDoesNotShortenTheDispatches) {
  // The dispatch that is interrupted takes 5 ms longer: taken at its word, 8 hops would be a whole stretch.
  ScriptedDevice plain({});
  const std::uint64_t undisturbed = repeated(plain, small_bytes).steps;
  for (std::size_t interrupted = 0; interrupted < 6; ++interrupted) {
    ScriptedDevice device(
        {.slowdown = [interrupted](std::size_t dispatch, double) { return dispatch == interrupted ? 8000.0 : 1.0; }});
    EXPECT_GE(repeated(device, small_bytes).steps, undisturbed / 4) << "dispatch " << interrupted;
  }
}

TEST(Repetitions, AWholeLapIsWalkedBeforeAnythingIsTimed) {
  for (const double bytes : {small_bytes, 1048576.0, large_bytes}) {
    // A first visit costs 100 times a hop, as where pages are mapped when they are touched.
    ScriptedDevice device({.cold_word_ns = 1000});
    const Repetitions repetitions = repeated(device, bytes);
    EXPECT_GE(hops_before_timing(device, repetitions), static_cast<std::uint64_t>(bytes) / 64);
    for (const double value : repetitions.values) EXPECT_NEAR(value, true_ns, 1e-6);
  }
}

TEST(Repetitions, ACacheThatSettlesSlowlyIsWaitedFor) {
  // Laps of 3 ms get faster by a constant share of what is left, as where replacement is random: between one and the
  // next there is less to be seen than noise when 5 % are still to come.
  for (const double settling_ns : {10e6, 20e6, 40e6}) {
    ScriptedDevice device({.launch_ns = 0, .slowdown = [=](std::size_t, double spent_ns) {
                             return 1 + 0.5 * std::exp(-spent_ns / settling_ns);
                           }});
    EXPECT_NEAR(median(repeated(device, large_bytes)), true_ns, 0.01 * true_ns) << settling_ns;
  }
}

TEST(Repetitions, AnInterruptionInTheSecondLapDoesNotMakeASlowCacheASettledOne) {
  // A lap of one walker takes 131 ms once all is there and four times as long at first; each dispatch is at most 100 ms
  // long.
  for (std::size_t interrupted = 11; interrupted < 17; ++interrupted) {
    ScriptedDevice device({.hop_ns = [](std::uint64_t) { return 1000.0; },
                           .launch_ns = 0,
                           .slowdown =
                               [=](std::size_t dispatch, double spent_ns) {
                                 return (1 + 3 * std::exp(-spent_ns / 400e6)) * (dispatch == interrupted ? 3 : 1);
                               }});
    SteppedWork work = walk_over(device, large_bytes);
    work.by_many = {};
    EXPECT_NEAR(median(repeat(work, limits_of(), [] {})), 1000, 15) << "dispatch " << interrupted;
  }
}

TEST(Repetitions, WhatIsStillSettlingWhenTheTimeIsOverIsSaidToBe) {
  const auto settling = [](double settling_ns) {
    return Script{.hop_ns = [](std::uint64_t) { return 1000.0; },
                  .launch_ns = 0,
                  .slowdown = [=](std::size_t, double spent_ns) { return 1 + std::exp(-spent_ns / settling_ns); }};
  };
  // A lap takes 131 ms once all is there.
  ScriptedDevice slow(settling(4e9));
  EXPECT_GT(repeated(slow, large_bytes).settling, 0.01);
  ScriptedDevice fast(settling(200e6));
  EXPECT_EQ(repeated(fast, large_bytes).settling, 0);
}

TEST(Repetitions, NoiseDoesNotMakeTheWarmUpEndless) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ScriptedDevice device({.noise = 0.05, .interruption_share = 0.1, .seed = seed});
    const Repetitions repetitions = repeated(device, large_bytes);
    EXPECT_EQ(repetitions.settling, 0) << seed;
    EXPECT_LT(hops_before_timing(device, repetitions), 40 * static_cast<std::uint64_t>(large_bytes) / 64) << seed;
  }
}

TEST(Repetitions, NoDispatchIsLongerThan200Milliseconds) {
  // These are hops in a cache and hops across a slow bus.
  for (const double hop_ns : {5.0, 300.0, 3000.0}) {
    ScriptedDevice device({.hop_ns = [hop_ns](std::uint64_t) { return hop_ns; }});
    repeated(device, large_bytes);
    for (const Dispatch& dispatch : device.dispatches()) ASSERT_LE(dispatch.work_ns, 200e6);
  }
}

TEST(Repetitions, NoDispatchIsLongerThan200MillisecondsThoughTheFirstHopsWereFast) {
  // The walk leaves a cached part after three dispatches and is 100 times slower from there on: a dispatch
  // that were as long as the first ones promise would take 400 ms.
  ScriptedDevice device({.hop_ns = [](std::uint64_t) { return 100.0; },
                         .launch_ns = 0,
                         .slowdown = [](std::size_t dispatch, double) { return dispatch < 3 ? 0.01 : 1.0; }});
  repeated(device, large_bytes);
  for (const Dispatch& dispatch : device.dispatches()) ASSERT_LE(dispatch.work_ns, 200e6);
}

TEST(Repetitions, NoDispatchHasMoreTripsThanEveryDriverMakes) {
  ScriptedDevice device({.hop_ns = [](std::uint64_t) { return 0.1; }});
  const Repetitions repetitions = repeated(device, small_bytes);
  EXPECT_EQ(repetitions.steps, 65000u * 8);
  for (const Dispatch& dispatch : device.dispatches()) ASSERT_LE(dispatch.trips, 65000u);
}

TEST(Repetitions, ALoopThatSilentlyStopsEarlyIsAnError) {
  ScriptedDevice enough({.hop_ns = [](std::uint64_t) { return 0.1; }, .loop_limit = 65535});
  EXPECT_NO_THROW(repeated(enough, small_bytes));
  ScriptedDevice device({.hop_ns = [](std::uint64_t) { return 0.1; }, .loop_limit = 1000});
  try {
    repeated(device, small_bytes);
    ADD_FAILURE();
  } catch (const device::Error& error) {
    EXPECT_NE(std::string(error.what()).find("left its loop after 1000 of"), std::string::npos) << error.what();
  }
}

TEST(Repetitions, ADeviceThatDropsItsWorkIsAnError) {
  ScriptedDevice device({.drops_work = true});
  EXPECT_THROW(repeated(device, small_bytes), device::Error);
}

TEST(Repetitions, AClockThatStandsStillIsAnErrorAndNoLatency) {
  ScriptedDevice device({.clock_stands_still = true, .most_dispatches = 200});
  try {
    ADD_FAILURE() << "a latency of " << median(repeated(device, small_bytes)) << " ns";
  } catch (const device::Error& error) {
    EXPECT_FALSE(test::was_endless(error)) << "it would go on for ever";
  }
}

TEST(Repetitions, EveryDispatchIsASignOfLife) {
  ScriptedDevice device({});
  std::size_t signs = 0;
  (void)repeat(walk_over(device, small_bytes), limits_of(), [&signs] { ++signs; });
  EXPECT_EQ(signs, device.dispatches().size());
}

TEST(Repetitions, ShortAndLongDispatchesAlternate) {
  ScriptedDevice device({});
  const Repetitions repetitions = repeated(device, small_bytes);
  const auto& all = device.dispatches();
  const std::size_t first = all.size() - 2 * repetitions.values.size();
  for (std::size_t index = first; index < all.size(); index += 2) {
    EXPECT_EQ(hops(all[index]), small_bytes / 64) << "a lap";
    EXPECT_EQ(hops(all[index + 1]), repetitions.steps);
  }
}

TEST(Repetitions, ValuesAreInTheOrderTaken) {
  // Every pair is slower than the one before.
  ScriptedDevice device(
      {.slowdown = [](std::size_t dispatch, double) { return 1 + static_cast<double>(dispatch) * 0.01; }});
  const Repetitions repetitions = repeated(device, small_bytes);
  EXPECT_GE(repetitions.values.size(), 7u);
  EXPECT_TRUE(std::is_sorted(repetitions.values.begin(), repetitions.values.end()));
  EXPECT_LT(repetitions.values.front(), repetitions.values.back());
}

}  // namespace
}  // namespace sonde::measure
