// Laps of walks by many items: they prove what they did, the walk goes on where they ended, and caches hold what they
// do after laps of one walker.

#include "workloads/walk/chase_by_many.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/statistics.hpp"
#include "device/model/model.hpp"
#include "measure/repetitions.hpp"
#include "support/scripted_device.hpp"
#include "support/small_model.hpp"
#include "support/walk_workload.hpp"
#include "workloads/walk/chases.hpp"

namespace sonde::workloads {
namespace {

using device::model::Policy;
using measure::SteppedWork;
using test::Dispatch;
using test::ScriptedDevice;

constexpr std::uint32_t lines_apart_bytes = 64;
/// The last stretch of such a cycle has 24 hops of its own.
constexpr std::uint32_t many_lines = 10008;

SteppedWork cycle_over(device::Device& device, std::uint32_t lines) {
  return test::stepped(cycle_chase(device, lines, lines_apart_bytes, 7));
}

SteppedWork independent_over(device::Device& device, std::uint32_t lines) {
  return test::stepped(independent_chase(device, lines, lines_apart_bytes, 7));
}

void expect_proved(const SteppedWork& work) { EXPECT_EQ(work.proof_failure().value_or(""), ""); }

TEST(ChaseByMany, TheWalkGoesOnWhereItEnded) {
  ScriptedDevice device({});
  const SteppedWork work = cycle_over(device, many_lines);
  const SteppedWork laps = work.by_many();
  ScriptedDevice device_of_one({});
  const SteppedWork by_one = cycle_over(device_of_one, many_lines);
  struct Case {
    std::uint64_t before, by_many, in_all;
  };
  // To place 8 and on to the end of a stretch at 3232; to 3320, and beyond the cycle's end to 32; to 48, and through
  // the last stretch, which ends 8 places into the next lap.
  for (const Case& one : {Case{8, 3224, 3232}, Case{80, 6720, 6800}, Case{8, 9960, 9976}}) {
    (void)work.run(one.before);
    (void)laps.run(one.by_many);
    expect_proved(laps);
    (void)work.run(8);
    expect_proved(work);
    (void)by_one.run(one.in_all);
    (void)by_one.run(8);
    EXPECT_EQ(device.dispatches().back().end, device_of_one.dispatches().back().end);
  }
}

TEST(ChaseByMany, VisitsEveryLineInALap) {
  for (const std::uint32_t lines : {1u, 31u, 64u, many_lines}) {
    for (const auto& walk_over : {cycle_over, independent_over}) {
      ScriptedDevice device({.cold_word_ns = 1e6});
      const SteppedWork work = walk_over(device, lines);
      const SteppedWork laps = work.by_many();
      for (std::uint64_t hops = 0; hops < lines;) {
        const std::uint64_t now = std::min<std::uint64_t>(laps.most, 2048);
        (void)laps.run(now);
        expect_proved(laps);
        hops += now;
      }
      (void)laps.run(std::min<std::uint64_t>(laps.most, 2048));
      const double warm_ns = device.dispatches().back().work_ns;
      EXPECT_LT(warm_ns, 1e6) << lines;
    }
  }
}

TEST(ChaseByMany, WorkThatWasNotDoneIsNoticed) {
  for (const auto& walk_over : {cycle_over, independent_over}) {
    ScriptedDevice drops({.drops_work = true});
    const SteppedWork dropped = walk_over(drops, many_lines).by_many();
    (void)dropped.run(2048);
    EXPECT_TRUE(dropped.proof_failure());

    // Two turns of 32 items.
    ScriptedDevice stops({.loop_limit = 2});
    const SteppedWork stopped = walk_over(stops, many_lines).by_many();
    (void)stopped.run(2 * 32 * 32);
    expect_proved(stopped);
    (void)stopped.run(2 * 32 * 32 + 32);
    EXPECT_TRUE(stopped.proof_failure());
  }
}

TEST(ChaseByMany, NoSumOfAnEarlierDispatchProvesALaterOne) {
  ScriptedDevice device({.drops_work_from = 1});
  const SteppedWork laps = cycle_over(device, 64).by_many();
  (void)laps.run(64);
  expect_proved(laps);
  (void)laps.run(64);
  EXPECT_TRUE(laps.proof_failure());
}

/// Where a load takes 10 us, one walker takes 1.3 s for a lap over this.
constexpr double long_lap_bytes = 8 << 20;

std::uint64_t dispatches_of(const ScriptedDevice& device, const std::string& kernel) {
  return static_cast<std::uint64_t>(std::ranges::count(device.dispatches(), kernel, &Dispatch::kernel));
}

ScriptedDevice slow_device(device::DeviceType type = device::DeviceType::discrete) {
  return ScriptedDevice({.type = type, .hop_ns = [](std::uint64_t) { return 1e4; }, .cold_word_ns = 1e5});
}

TEST(ChaseByMany, MakesLapsThatOneWouldTakeLongFor) {
  ScriptedDevice device = slow_device();
  const measure::Repetitions repetitions =
      measure::repeat(test::walk_over(device, long_lap_bytes), measure::limits_of(), [] {});
  EXPECT_GT(dispatches_of(device, "chase_by_many"), 8u);
  for (const double value : repetitions.values) EXPECT_NEAR(value, 1e4, 1e-3);
  double all_ns = 0;
  for (const Dispatch& dispatch : device.dispatches()) {
    all_ns += dispatch.work_ns;
    EXPECT_LE(dispatch.work_ns, 200e6) << dispatch.kernel;
  }
  EXPECT_LT(all_ns, 1e9) << "one walker's lap takes 14 s";
}

TEST(ChaseByMany, MakesNoOthers) {
  ScriptedDevice device({});
  (void)measure::repeat(test::walk_over(device, long_lap_bytes), measure::limits_of(), [] {});
  EXPECT_EQ(dispatches_of(device, "chase_by_many"), 0u) << "a lap takes 1 ms";
  ScriptedDevice cpu = slow_device(device::DeviceType::cpu);
  (void)measure::repeat(test::walk_over(cpu, long_lap_bytes), measure::limits_of(device::DeviceType::cpu), [] {});
  EXPECT_EQ(dispatches_of(cpu, "chase_by_many"), 0u);
}

TEST(ChaseByMany, ItsProofIsAskedFor) {
  ScriptedDevice device = slow_device();
  SteppedWork work = test::walk_over(device, long_lap_bytes);
  work.by_many = [make = work.by_many] {
    SteppedWork laps = make();
    laps.proof_failure = [] { return std::optional<std::string>("left its chain"); };
    return laps;
  };
  EXPECT_THROW((void)measure::repeat(work, measure::limits_of(), [] {}), device::Error);
}

/// Replacement, hashed sets, and a working set's share of the cache.
class ReadingsAfterLaps : public testing::TestWithParam<std::tuple<Policy, bool, double>> {};

TEST_P(ReadingsAfterLaps, AreThoseAfterLapsOfOneWalker) {
  const auto& [policy, hashed, share] = GetParam();
  constexpr std::uint64_t cache_bytes = 16 << 20;
  device::model::Description model = test::small_model(1 << 30);
  model.levels[0] = {
      .name = "cache", .bytes = cache_bytes, .ways = 16, .policy = policy, .hashed = hashed, .latency_ns = 2000};
  model.levels[1].latency_ns = 6000;
  model.noise.relative = 0.01;
  const auto bytes = static_cast<double>(cache_bytes) * share;
  std::vector<double> readings;
  for (const bool by_many : {false, true}) {
    const auto device = device::model::open(model);
    SteppedWork work = test::walk_over(*device, bytes);
    if (!by_many) work.by_many = {};
    measure::Limits limits = measure::limits_of();
    limits.warm_up = device::Nanoseconds(100e9);
    const measure::Repetitions repetitions = measure::repeat(work, limits, [] {});
    EXPECT_EQ(repetitions.settling, 0);
    readings.push_back(analysis::quantile(repetitions.values, 0.5));
  }
  EXPECT_NEAR(readings[1], readings[0], 0.03 * readings[0]);
}

INSTANTIATE_TEST_SUITE_P(, ReadingsAfterLaps,
                         testing::Combine(testing::Values(Policy::lru, Policy::random), testing::Bool(),
                                          testing::Values(0.8, 0.95, 1.05, 1.3)));

}  // namespace
}  // namespace sonde::workloads
