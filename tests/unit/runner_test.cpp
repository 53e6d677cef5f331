// A probe that is asked in this process: points that are measured on a device, and while other programs disturb.

#include "measure/runner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "analysis/statistics.hpp"
#include "measure/repetitions.hpp"
#include "support/recording_observer.hpp"
#include "support/scripted_device.hpp"
#include "support/walk_workload.hpp"

namespace sonde::measure {
namespace {

using test::RecordingObserver;
using test::Script;
using test::ScriptedDevice;

constexpr double few_bytes = 1024;

std::vector<Point> points_wanted;

std::vector<Point> next_of_test(const device::DeviceInfo&, const Request&, std::span<const Measurement> known) {
  return known.empty() ? points_wanted : std::vector<Point>{};
}

std::vector<std::uint64_t> seeds_prepared;
std::vector<double> sizes_prepared;
int visits_interrupted = 0;  ///< the first ones of a point
std::chrono::steady_clock::time_point last_prepared;

Workload prepare_walk(device::Device& device, const Point& point, const Request& request) {
  seeds_prepared.push_back(request.seed);
  sizes_prepared.push_back(point.x.bytes.value());
  Workload workload = probes::latency_probe::prepare_cycle(device, point, request);
  last_prepared = std::chrono::steady_clock::now();
  return workload;
}

using Prepare = std::function<Workload(device::Device& device, const Point& point, const Request& request)>;
Prepare prepare_of_test;

/// The latency probe's walk, prepared as a test wants it.
constexpr Curve walk = [] {
  Curve curve = probes::latency_probe::cycle;
  curve.prepare = [](device::Device& device, const Point& point, const Request& request) {
    return prepare_of_test(device, point, request);
  };
  return curve;
}();

/// A curve that is seen beside it.
constexpr Curve moved_bytes{
    .name = "moved-bytes", .words = {.side = Side::gpu}, .varies = "memory, path", .title = "Moved", .unit = "GB/s"};

constexpr FindingKind point_count{.name = "count"};

Point point_of(double bytes, Path path = Path::vector) {
  Point point = test::point_of(bytes, path);
  point.curve = &walk;
  return point;
}

Conclusion conclude_of_test(const Request&, std::span<const Measurement> known) {
  return {.levels = {{.level = 5}}, .findings = {{.kind = &point_count, .value = static_cast<double>(known.size())}}};
}

/// The latency probe at the points that a test wants.
Probe walking() {
  Probe probe = probes::latency;
  probe.next = next_of_test;
  probe.conclude = conclude_of_test;
  return probe;
}

std::vector<Point> distinct_points(int count) {
  std::vector<Point> points;
  for (int point = 1; point <= count; ++point) points.push_back(point_of(few_bytes * point));
  return points;
}

class RunnerTest : public testing::Test {
 protected:
  void SetUp() override {
    seeds_prepared.clear();
    sizes_prepared.clear();
    prepare_of_test = prepare_walk;
  }

  /// A machine on which others take these shares of CPU time during the measurements, one after the other.
  std::function<counters::HostTime()> shares(const std::vector<double>& foreign,
                                             const std::vector<double>& steal = {}) {
    const auto calls = std::make_shared<std::size_t>(0);
    const auto time = std::make_shared<counters::HostTime>();
    return [=] {
      const std::size_t call = (*calls)++;
      if (call % 2 == 1) {  // the end of measurement call / 2
        const auto share = [&](const std::vector<double>& of) { return call / 2 < of.size() ? of[call / 2] : 0; };
        time->wall += 1;
        time->busy += share(foreign);
        time->steal += share(steal);
      }
      return *time;
    };
  }

  void run(ScriptedDevice& device, std::vector<Point> points, std::function<counters::HostTime()> host_time) {
    points_wanted = std::move(points);
    may_go_on =
        run_probe(device, walking(), {.request = {.look = Look::first}, .host_time = std::move(host_time)}, observer);
  }
  void run(ScriptedDevice& device, std::vector<Point> points) { run(device, std::move(points), shares({})); }

  const State& state(std::size_t index) const { return observer.measurements.at(index).state; }

  RecordingObserver observer;
  bool may_go_on = false;  ///< what the last run said of the device
};

TEST_F(RunnerTest, EveryPointIsMeasuredInOrderAndConcludedFrom) {
  ScriptedDevice device({});
  run(device, {point_of(1024), point_of(2048)});
  ASSERT_EQ(observer.measurements.size(), 2u);
  EXPECT_EQ(observer.measurements[0].point.x.bytes, 1024);
  EXPECT_EQ(observer.measurements[1].point.x.bytes, 2048);
  EXPECT_EQ(observer.measurements[0].unit, "ns");
  EXPECT_NEAR(analysis::summarize(observer.measurements[0].values).median, 10, 1e-6);
  EXPECT_TRUE(observer.failures.empty());
  EXPECT_TRUE(observer.skips.empty());
  ASSERT_EQ(observer.findings.size(), 1u);
  EXPECT_EQ(observer.findings[0].value, 2);
  ASSERT_EQ(observer.levels.size(), 1u);
  EXPECT_EQ(observer.levels[0].level, 5);
  EXPECT_TRUE(may_go_on);
}

TEST_F(RunnerTest, LapsThatNeverSettleAreWaitedForOnAGpuAndBrieflyOnACpu) {
  const auto settling = [&](device::DeviceType type, double falling_ns) {
    // A lap takes 66 ms at first, and each is hardly faster than the one before.
    ScriptedDevice device(
        {.type = type,
         .hop_ns = [](std::uint64_t) { return 1000.0; },
         .launch_ns = 0,
         .slowdown = [falling_ns](std::size_t, double spent_ns) { return 1 + 3 * std::exp(-spent_ns / falling_ns); }});
    observer = {};
    run(device, {point_of(1 << 20)});
    double before_timing_ns = 0;
    for (const test::Dispatch& dispatch : device.dispatches()) before_timing_ns += dispatch.work_ns;
    return before_timing_ns;
  };
  EXPECT_GT(settling(device::DeviceType::integrated, 0.5e9), 5e9);
  EXPECT_EQ(state(0).laps_settling, 0);
  EXPECT_LT(settling(device::DeviceType::cpu, 2e9), 3e9);
  // The last of the quarter of a second that it was given was faster than the first by a twentieth.
  EXPECT_NEAR(state(0).laps_settling, 0.05, 0.02) << "that it was not waited for is not said";
}

TEST_F(RunnerTest, AnObstacleSkipsTheProbeAndTouchesNothing) {
  ScriptedDevice device({});
  Probe probe = walking();
  probe.obstacle = [](const device::DeviceInfo&) { return std::optional<std::string>("in the way"); };
  run_probe(device, probe, {.request = {}}, observer);
  ASSERT_EQ(observer.skips.size(), 1u);
  EXPECT_EQ(observer.skips[0].text, "in the way");
  EXPECT_FALSE(observer.skips[0].point);
  EXPECT_TRUE(device.dispatches().empty());
}

TEST_F(RunnerTest, TheStateSaysHowItWasMeasured) {
  ScriptedDevice device({.launch_ns = 5e3});
  points_wanted = {point_of(few_bytes)};
  run_probe(device, walking(),
            {.request = {.look = Look::first}, .clock_settled = false, .host_time = shares({0.01}, {0.02})}, observer);
  EXPECT_FALSE(state(0).clock_settled);
  EXPECT_NEAR(state(0).foreign_cpu, 0.01, 1e-9);
  EXPECT_NEAR(state(0).steal, 0.02, 1e-9);
  EXPECT_FALSE(state(0).disturbed);
  EXPECT_NEAR(state(0).launch_ns, 5e3, 1);
  EXPECT_GT(state(0).steps, 64u);
}

TEST_F(RunnerTest, WhatWasReadDuringAllReplicatesIsPartOfTheState) {
  ScriptedDevice device({});
  Point point = point_of(few_bytes);
  point.replicates = 2;
  points_wanted = {point};
  std::vector<std::chrono::steady_clock::time_point> moments;
  const auto read = [&moments](std::chrono::steady_clock::time_point moment) {
    EXPECT_GE(moment, last_prepared);  // preparing is no part of it
    moments.push_back(moment);
    const double number = static_cast<double>(moments.size());
    return std::vector<counters::DeviceState>{{.gpu_clock_mhz = 100 * number}, {.temperature_celsius = number}};
  };
  run_probe(device, walking(), {.request = {.look = Look::first}, .host_time = shares({}), .device_state_since = read},
            observer);
  ASSERT_EQ(moments.size(), 2u);
  EXPECT_TRUE(std::ranges::is_sorted(moments));
  EXPECT_EQ(state(0).device_state.gpu_clock_mhz, 150);
  EXPECT_EQ(state(0).device_state.temperature_celsius, 2);
  EXPECT_FALSE(state(0).device_state.power_watts);
}

TEST_F(RunnerTest, WhereNobodyReadsNothingIsKnown) {
  ScriptedDevice device({});
  run(device, {point_of(few_bytes)});
  EXPECT_FALSE(state(0).device_state.gpu_clock_mhz);
  EXPECT_FALSE(state(0).device_state.throttle_reasons);
}

/// A level on the curve of the points that a test wants.
Conclusion conclude_a_level(const Request& request, std::span<const Measurement> known) {
  Conclusion conclusion = conclude_of_test(request, known);
  conclusion.levels[0].words = points_wanted.at(0).words;
  conclusion.levels[0].found.latency_ns = {.low = 9, .value = 10, .high = 11};
  return conclusion;
}

TEST_F(RunnerTest, WhereTheClockIsKnownEveryPointIsToldInCyclesToo) {
  ScriptedDevice device({});
  points_wanted = {point_of(1024), point_of(2048)};
  Probe probe = walking();
  probe.conclude = conclude_a_level;
  const auto clock = [] { return CoreClock{.mhz = 2500, .source = "shader-clock"}; };
  run_probe(device, probe, {.request = {.look = Look::first}, .host_time = shares({}), .core_clock = clock}, observer);
  ASSERT_EQ(observer.measurements.size(), 4u);
  for (const std::size_t point : {0u, 2u}) {
    const Measurement& ns = observer.measurements[point];
    const Measurement& cycles = observer.measurements[point + 1];
    EXPECT_EQ(ns.unit, "ns");
    EXPECT_EQ(cycles.unit, "cycles");
    EXPECT_EQ(cycles.point.words, ns.point.words);
    EXPECT_EQ(cycles.point.x, ns.point.x);
    ASSERT_EQ(cycles.values.size(), ns.values.size());
    for (std::size_t i = 0; i < ns.values.size(); ++i) EXPECT_NEAR(cycles.values[i], 2.5 * ns.values[i], 1e-9);
    EXPECT_EQ(ns.state.core_clock->mhz, 2500);
    EXPECT_EQ(cycles.state.core_clock->source, "shader-clock");
  }
  // The probe was shown two points, and nothing else was measured.
  EXPECT_EQ(observer.findings.at(0).value, 2);
  EXPECT_EQ(sizes_prepared.size(), 2u);
  EXPECT_DOUBLE_EQ(observer.levels.at(0).cycles.value().value, 25);
}

TEST_F(RunnerTest, WhereNobodyTellsTheClockThereAreNoCycles) {
  ScriptedDevice device({});
  run(device, {point_of(few_bytes)});
  ASSERT_EQ(observer.measurements.size(), 1u);
  EXPECT_FALSE(state(0).core_clock);
  EXPECT_FALSE(observer.levels.at(0).cycles);
}

TEST_F(RunnerTest, TheClockIsToldAfterTheRepetitionsOfEachReplicate) {
  ScriptedDevice device({});
  Point point = point_of(few_bytes);
  point.replicates = 3;
  points_wanted = {point};
  std::vector<std::size_t> dispatches;
  const auto clock = [&] {
    dispatches.push_back(device.dispatches().size());
    return CoreClock{.mhz = 1000.0 * static_cast<double>(dispatches.size()), .source = "shader-clock"};
  };
  run_probe(device, walking(), {.request = {.look = Look::first}, .host_time = shares({}), .core_clock = clock},
            observer);
  ASSERT_EQ(dispatches.size(), 3u);
  EXPECT_GT(dispatches.front(), 0u);
  EXPECT_TRUE(std::ranges::adjacent_find(dispatches, std::greater_equal<>()) == dispatches.end());
  EXPECT_EQ(dispatches.back(), device.dispatches().size());
  EXPECT_EQ(state(0).core_clock->mhz, 2000);
}

TEST_F(RunnerTest, AClockThatCannotBeToldCostsTheCyclesAndNoPoint) {
  ScriptedDevice device({});
  points_wanted = {point_of(1024), point_of(2048)};
  int asked = 0;
  const auto clock = [&asked]() -> std::optional<CoreClock> {
    if (++asked == 1) throw device::Error("the chain went astray");
    return CoreClock{.mhz = 2500, .source = "shader-clock"};
  };
  run_probe(device, walking(), {.request = {.look = Look::first}, .host_time = shares({}), .core_clock = clock},
            observer);
  ASSERT_EQ(observer.failures.size(), 1u);
  EXPECT_FALSE(observer.failures[0].point) << "it is said once, of all points";
  EXPECT_NE(observer.failures[0].text.find("without cycles"), std::string::npos) << observer.failures[0].text;
  EXPECT_NE(observer.failures[0].text.find("the chain went astray"), std::string::npos) << observer.failures[0].text;
  ASSERT_EQ(observer.measurements.size(), 3u);
  EXPECT_EQ(observer.measurements[0].unit, "ns");
  EXPECT_FALSE(state(0).core_clock);
  EXPECT_EQ(observer.measurements[1].point.x.bytes, 2048);
  EXPECT_EQ(observer.measurements[2].unit, "cycles");
}

TEST_F(RunnerTest, AClockThatOthersDisturbIsLeftOutWithoutAWord) {
  ScriptedDevice device({});
  points_wanted = {point_of(1024)};
  const auto clock = []() -> std::optional<CoreClock> { throw device::TooShort("others disturb"); };
  run_probe(device, walking(), {.request = {.look = Look::first}, .host_time = shares({}), .core_clock = clock},
            observer);
  EXPECT_TRUE(observer.failures.empty());
  EXPECT_TRUE(observer.skips.empty());
  EXPECT_EQ(observer.measurements.size(), 1u);
}

TEST_F(RunnerTest, ADisturbedVisitIsKeptAndLabelledAndMadeUpForByAnother) {
  ScriptedDevice device({});
  run(device, {point_of(few_bytes)}, shares({0.5, 0.01}));
  const std::vector<Measurement>& visits = observer.measurements;
  ASSERT_EQ(visits.size(), 2u);
  EXPECT_TRUE(visits[0].state.disturbed);
  EXPECT_NEAR(visits[0].state.foreign_cpu, 0.5, 1e-9);
  EXPECT_FALSE(visits[1].state.disturbed);
  EXPECT_NEAR(visits[1].state.foreign_cpu, 0.01, 1e-9);
}

TEST_F(RunnerTest, StealDisturbsAsMuchAsOtherProgramsDo) {
  ScriptedDevice device({});
  run(device, {point_of(few_bytes)}, shares({}, {0.5, 0.01}));
  const std::vector<Measurement>& visits = observer.measurements;
  ASSERT_EQ(visits.size(), 2u);
  EXPECT_TRUE(visits[0].state.disturbed);
  EXPECT_FALSE(visits[1].state.disturbed);
}

TEST_F(RunnerTest, WhereOthersNeverRestVisitsEnd) {
  ScriptedDevice device({});
  run(device, {point_of(few_bytes)}, shares(std::vector<double>(50, 0.5)));
  EXPECT_EQ(observer.measurements.size(), 3u) << "two are made up for";
}

// A core that the driver's threads did not have shows in no share of the machine's time where it was their own.
TEST_F(RunnerTest, AVisitOfInterruptedDispatchesIsMadeUpForByAnother) {
  prepare_of_test = [](device::Device& device, const Point& point, const Request& request) {
    Workload workload = prepare_walk(device, point, request);
    const bool is_interrupted = static_cast<int>(seeds_prepared.size()) <= visits_interrupted;
    std::get<SteppedWork>(workload.work).interrupted = [is_interrupted] { return is_interrupted; };
    return workload;
  };
  for (const std::size_t interrupted : {0u, 1u, 2u}) {
    ScriptedDevice device({});
    RecordingObserver seen;
    seeds_prepared.clear();
    points_wanted = {point_of(few_bytes)};
    visits_interrupted = static_cast<int>(interrupted);
    run_probe(device, walking(), {.request = {.look = Look::first}, .host_time = shares({})}, seen);
    ASSERT_EQ(seen.measurements.size(), interrupted + 1);
    for (std::size_t visit = 0; visit <= interrupted; ++visit) {
      EXPECT_EQ(seen.measurements[visit].state.disturbed, visit < interrupted) << interrupted;
      EXPECT_EQ(seen.measurements[visit].state.interrupted, visit < interrupted ? 1 : 0) << interrupted;
    }
  }
}

TEST_F(RunnerTest, ALittleOfOthersIsTolerated) {
  ScriptedDevice device({});
  run(device, {point_of(few_bytes)}, shares({0.049}, {0.049}));
  EXPECT_FALSE(state(0).disturbed);
}

TEST_F(RunnerTest, AnErrorCostsItsPointAlone) {
  ScriptedDevice device({.fails = [](std::size_t dispatch) { return dispatch == 0; }});
  run(device, {point_of(1024), point_of(2048)});
  ASSERT_EQ(observer.failures.size(), 1u);
  EXPECT_EQ(observer.failures[0].point->x.bytes, 1024);
  EXPECT_NE(observer.failures[0].text.find("the script says"), std::string::npos);
  ASSERT_EQ(observer.measurements.size(), 1u);
  EXPECT_EQ(observer.measurements[0].point.x.bytes, 2048);
  EXPECT_TRUE(may_go_on);
}

TEST_F(RunnerTest, LargerSizesAreStillMeasuredAfterOneThatIsTooShortForTheClock) {
  ScriptedDevice device({});
  prepare_of_test = [](device::Device& on, const Point& point, const Request& request) {
    if (point.x.bytes == 2048) throw device::TooShort("too short");
    return prepare_walk(on, point, request);
  };
  run(device, {point_of(1024), point_of(2048), point_of(4096)});
  EXPECT_EQ(observer.measurements.size(), 2u);
  ASSERT_EQ(observer.skips.size(), 1u);
  EXPECT_EQ(observer.skips[0].point->x.bytes, 2048);
  EXPECT_EQ(observer.skips[0].text, "too short");
}

TEST_F(RunnerTest, ASizeThatDoesNotFitEndsItsSeriesWithOneSkip) {
  ScriptedDevice device({.largest_buffer_bytes = 1500});
  run(device, {point_of(1024), point_of(2048), point_of(4096), point_of(1024, Path::scalar), point_of(8192)});
  ASSERT_EQ(observer.measurements.size(), 2u);
  EXPECT_EQ(observer.measurements[0].point.x.bytes, 1024);
  EXPECT_EQ(observer.measurements[1].point.words.path, Path::scalar);
  ASSERT_EQ(observer.skips.size(), 1u);
  EXPECT_EQ(observer.skips[0].point->x.bytes, 2048);
  EXPECT_NE(observer.skips[0].text.find("the script's limit"), std::string::npos) << observer.skips[0].text;
  EXPECT_TRUE(observer.failures.empty());
  EXPECT_EQ(observer.findings.at(0).value, 2);
}

TEST_F(RunnerTest, ReplicatesShareTheRepetitionsAndHaveAShuffleEach) {
  ScriptedDevice device({});
  Point point = point_of(few_bytes);
  point.replicates = 3;
  run(device, {point});
  ASSERT_EQ(observer.measurements.size(), 1u);
  EXPECT_EQ(observer.measurements[0].values.size(), 9u);  // 7 in three parts
  ASSERT_EQ(seeds_prepared.size(), 3u);
  EXPECT_EQ(std::set<std::uint64_t>(seeds_prepared.begin(), seeds_prepared.end()).size(), 3u);
}

TEST_F(RunnerTest, FurtherVisitsComeAfterAllPointsWithShufflesOfTheirOwnAndAreOnePoint) {
  ScriptedDevice device({});
  std::vector<Point> points{point_of(1024), point_of(2048)};
  points[0].visits = 3;
  run(device, points);
  EXPECT_EQ(sizes_prepared, (std::vector<double>{1024, 2048, 1024, 1024}));
  ASSERT_EQ(observer.measurements.size(), 4u);
  EXPECT_EQ(observer.measurements[0].values.size(), 3u);  // 7 in three parts
  EXPECT_EQ(observer.measurements[1].values.size(), 7u);
  const std::set<std::uint64_t> shuffles(seeds_prepared.begin(), seeds_prepared.end());
  EXPECT_EQ(shuffles.size(), 3u) << "the first visits to two points have the same seed";
  ASSERT_EQ(observer.findings.size(), 1u);
  EXPECT_EQ(observer.findings[0].value, 2) << "points that the probe concluded from";
}

TEST_F(RunnerTest, ThreeErrorsInARowAreEnough) {
  ScriptedDevice device({.fails = [](std::size_t) { return true; }});
  run(device, distinct_points(6));
  // One record of what is wrong, and one of what was not measured for it.
  ASSERT_EQ(observer.failures.size(), 1u);
  EXPECT_TRUE(observer.failures[0].point);
  ASSERT_EQ(observer.skips.size(), 1u);
  EXPECT_FALSE(observer.skips[0].point);
  EXPECT_TRUE(observer.skips[0].text.starts_with("given up after 3 failures in a row")) << observer.skips[0].text;
  EXPECT_FALSE(may_go_on);
  EXPECT_EQ(sizes_prepared.size(), 3u);
  EXPECT_TRUE(observer.measurements.empty());
}

TEST_F(RunnerTest, ADeviceThatWasLostIsAskedNothingMore) {
  ScriptedDevice device({.fails = [this](std::size_t) -> bool {
    if (sizes_prepared.size() < 2) return false;
    throw device::Lost("the script says that it is gone");
  }});
  run(device, distinct_points(6));
  EXPECT_EQ(observer.measurements.size(), 1u);
  EXPECT_EQ(sizes_prepared.size(), 2u);
  ASSERT_EQ(observer.failures.size(), 1u);
  EXPECT_EQ(observer.failures[0].point->x.bytes, 2 * few_bytes);
  EXPECT_TRUE(observer.findings.empty());
  EXPECT_FALSE(may_go_on);
}

TEST_F(RunnerTest, ADeviceThatOnlyFailedIsNotAskedFurther) {
  ScriptedDevice device({.fails = [](std::size_t) { return true; }});
  run(device, distinct_points(2));
  EXPECT_EQ(observer.failures.size(), 1u);
  EXPECT_EQ(observer.skips.size(), 1u);
  EXPECT_FALSE(may_go_on);
}

TEST_F(RunnerTest, WorkThatWasNotDoneIsAnErrorWithItsReasonAndNoSample) {
  for (const Script& script : {Script{.loop_limit = 3}, Script{.drops_work = true}}) {
    ScriptedDevice device(script);
    observer = {};
    run(device, {point_of(few_bytes)});
    EXPECT_TRUE(observer.measurements.empty());
    ASSERT_EQ(observer.failures.size(), 1u);
    EXPECT_NE(observer.failures[0].text.find("left its loop after"), std::string::npos) << observer.failures[0].text;
  }
}

TEST_F(RunnerTest, EveryPointShowsSignsOfLife) {
  ScriptedDevice device({});
  run(device, {point_of(few_bytes)});
  EXPECT_GE(observer.signs_of_life, static_cast<int>(device.dispatches().size()));
}

TEST_F(RunnerTest, EveryReplicateLiesElsewhere) {
  // Between two working sets of one size something of another size each time, or both would get the same pages.
  Point point = point_of(few_bytes);
  point.replicates = 8;
  points_wanted = {point};
  ScriptedDevice device({});
  run_probe(device, walking(), {.host_time = shares({})}, observer);
  std::set<std::uint64_t> moved_by;
  for (const std::uint64_t bytes : device.buffers_made()) {
    if (bytes < 4096) continue;
    EXPECT_TRUE(moved_by.insert(bytes).second) << bytes;
    EXPECT_EQ(bytes % 4096, 0u);
  }
  EXPECT_GE(moved_by.size(), 8u);
}

TEST_F(RunnerTest, WhereMemoryIsShortNothingIsPutBeforeTheWorkingSet) {
  points_wanted = {point_of(few_bytes)};
  ScriptedDevice device({.largest_buffer_bytes = 1 << 16});
  run_probe(device, walking(), {.host_time = shares({})}, observer);
  for (const std::uint64_t bytes : device.buffers_made()) EXPECT_LE(bytes, few_bytes);
  EXPECT_EQ(observer.measurements.size(), 1u);
}

TEST_F(RunnerTest, SelfTimedWorkGivesItsValuesTheXItReachedAndExtraValues) {
  // Each replicate has another value, and something else is seen meanwhile.
  int observations = 0;
  prepare_of_test = [&observations](device::Device&, const Point&, const Request&) {
    const auto repeat = [&observations](const Limits& limits, const std::function<void()>& alive) {
      alive();
      const double now = ++observations;
      return Repetitions{.values = std::vector<double>(static_cast<std::size_t>(limits.least_repetitions), now),
                         .steps = 5,
                         .launch_ns = 6,
                         .reached = {.gpu_gbps = 10 * now},
                         .extra = {{.curve = &moved_bytes, .values = {7 * now, 8 * now}}}};
    };
    return Workload{.work = SelfTimedWork{repeat}, .has_cycles = false};
  };
  Point point = point_of(few_bytes);
  point.replicates = 2;
  points_wanted = {point};
  ScriptedDevice device({});
  run_probe(device, walking(),
            {.request = {.look = Look::first},
             .host_time = shares({}),
             .core_clock = [] { return CoreClock{.mhz = 2000, .source = "shader-clock"}; }},
            observer);
  ASSERT_TRUE(observer.failures.empty()) << observer.failures[0].text;
  ASSERT_EQ(observer.measurements.size(), 2u);  // none in cycles: its time does not pass on the device's core
  const Measurement& own = observer.measurements[0];
  const Measurement& extra = observer.measurements[1];
  EXPECT_EQ(own.values.front(), 1);
  EXPECT_EQ(own.values.back(), 2);
  EXPECT_EQ(own.point.x, (Coordinates{.bytes = few_bytes, .gpu_gbps = 15}));
  EXPECT_EQ(own.point.words, point.words);
  EXPECT_EQ(own.state.steps, 5u);
  EXPECT_EQ(own.state.launch_ns, 6);
  EXPECT_EQ(extra.point.curve, &moved_bytes);
  EXPECT_EQ(extra.point.x, own.point.x);
  EXPECT_EQ(extra.point.words, (Words{.memory = "device", .path = Path::vector, .side = Side::gpu}));
  EXPECT_EQ(extra.unit, "GB/s");
  EXPECT_EQ(extra.values, (std::vector<double>{7, 8, 14, 16}));
  EXPECT_EQ(observer.findings.at(0).value, 2);
}

TEST_F(RunnerTest, ExtraValuesOfAnotherPlaceAreAMeasurementOfTheirOwn) {
  prepare_of_test = [](device::Device&, const Point&, const Request&) {
    const auto repeat = [](const Limits&, const std::function<void()>&) {
      return Repetitions{.values = {1, 1, 1}, .extra = {{.curve = &walk, .values = {2, 2, 2}, .x = {.bytes = 3e6}}}};
    };
    return Workload{.work = SelfTimedWork{repeat}, .has_cycles = false};
  };
  Point point = point_of(few_bytes);
  point.visits = 2;
  ScriptedDevice device({});
  run(device, {point});
  ASSERT_TRUE(observer.failures.empty()) << observer.failures[0].text;
  ASSERT_EQ(observer.measurements.size(), 4u);
  EXPECT_EQ(observer.measurements[0].point.x.bytes, few_bytes);
  EXPECT_EQ(observer.measurements[1].point.x.bytes, 3e6);
  EXPECT_EQ(observer.findings.at(0).value, 2);  // as many as were known, each visited twice
}

}  // namespace
}  // namespace sonde::measure
