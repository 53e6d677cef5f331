// The contention probe: which windows count, how clocks are related, where loads are asked for, and what a simulated
// machine with known answers gives back.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <tuple>

#include "analysis/statistics.hpp"
#include "device/driver_clock.hpp"
#include "device/model/model.hpp"
#include "device/model/timing.hpp"
#include "measure/repetitions.hpp"
#include "measure/runner.hpp"
#include "measure/visits.hpp"
#include "probes/catalog.hpp"
#include "probes/contention/contention.hpp"
#include "support/clocked_device.hpp"
#include "support/recording_observer.hpp"
#include "workloads/stream/stream.hpp"

namespace sonde::probes::contention_probe {
namespace {

using device::ChaseWindow;
using device::Nanoseconds;
using measure::Look;
using measure::Measurement;
using measure::Point;

ChaseWindow window(double begin, double end) {
  return {.begin = Nanoseconds(begin), .end = Nanoseconds(end), .ns_per_load = end - begin};
}

/// A scripted GPU: it warms up, is busy from 100 to 200 and from 210 to 300, and its clock is known to within 5.
const device::BusyTimes busy{.dispatches = {{Nanoseconds(0), Nanoseconds(100)},
                                            {Nanoseconds(100), Nanoseconds(200)},
                                            {Nanoseconds(210), Nanoseconds(300)}},
                             .uncertainty = Nanoseconds(5)};

TEST(Windows, OutsideABusyTimeAreNeverCounted) {
  // Before, in the warm-up, across its end, too near an edge, across the gap, in the gap, across the end, behind it.
  const std::vector<ChaseWindow> outside{window(-20, -10), window(20, 40),   window(90, 120),
                                         window(104, 120), window(180, 196), window(190, 220),
                                         window(202, 208), window(290, 310), window(320, 330)};
  EXPECT_TRUE(inside(outside, busy).empty());
  EXPECT_TRUE(bandwidths(inside(outside, busy), busy, 1000).empty());
}

TEST(Windows, WhollyInsideOneDispatchAreCountedWithItsBandwidth) {
  const std::vector<ChaseWindow> all{window(50, 80), window(105, 150), window(150, 195), window(196, 220),
                                     window(230, 250)};
  const std::vector<ChaseWindow> counted = inside(all, busy);
  ASSERT_EQ(counted.size(), 3u);
  EXPECT_EQ(counted[0].begin.count(), 105);
  EXPECT_EQ(counted[2].begin.count(), 230);
  EXPECT_EQ(bandwidths(counted, busy, 1000), (std::vector<double>{10, 1000.0 / 90}));
  EXPECT_EQ(bandwidths(std::vector{counted[2]}, busy, 900), std::vector<double>{10});
}

TEST(Windows, NoneWithoutDispatches) {
  EXPECT_TRUE(inside(std::vector{window(0, 1)}, device::BusyTimes{}).empty());
  EXPECT_TRUE(inside(std::vector{window(0, 1)}, {.dispatches = {{Nanoseconds(0), Nanoseconds(9)}}}).empty());
}

TEST(ClockRelation, TheNarrowestBracketsDecideWhateverTheOthersAre) {
  device::ClockRelation clocks;
  // The host's clock is 1000 ahead; brackets are late by different amounts on both sides.
  for (const auto& [early, late] : {std::pair(500.0, 3.0), std::pair(2.0, 900.0), std::pair(80.0, 70.0)}) {
    clocks.bracket(Nanoseconds(1050 - early), Nanoseconds(50), Nanoseconds(1050 + late));
  }
  EXPECT_NEAR(clocks.on_host(Nanoseconds(60)).count(), 1060.5, 1e-9);
  EXPECT_NEAR(clocks.uncertainty().count(), 2.5, 1e-9);
}

TEST(ClockRelation, AClockThatStandsStillIsAnErrorAndASlowHostIsNot) {
  device::ClockRelation clocks;
  clocks.bracket(Nanoseconds(1000), Nanoseconds(0), Nanoseconds(1010));
  EXPECT_EQ(clocks.just_over(Nanoseconds(1e6), Nanoseconds(2e9)).count(), 1e6 + 1005);
  EXPECT_THROW((void)clocks.just_over(Nanoseconds(1e6), Nanoseconds(6e9)), device::Error);
}

TEST(ClockRelation, FollowsADriftBetweenTwoTellings) {
  device::ClockRelation clocks;
  clocks.bracket(Nanoseconds(999), Nanoseconds(0), Nanoseconds(1001));
  clocks.begin_second_set();
  // A hundred parts in a million: 100 more after a million.
  clocks.bracket(Nanoseconds(1e6 + 1098), Nanoseconds(1e6), Nanoseconds(1e6 + 1102));
  EXPECT_NEAR(clocks.on_host(Nanoseconds(5e5)).count(), 5e5 + 1050, 1e-6);
  EXPECT_NEAR(clocks.uncertainty().count(), 2, 1e-9);
}

// --- loads ---

/// Latency of 100 ns up to 60 GB/s, rising to 200 at 100; a GPU that does as it is told.
double latency_at(double gbps) { return 100 + std::max(0.0, gbps - 60) * 2.5; }

/// What is known once all of these looks are through, one after the other.
std::vector<Measurement> asked(
    const std::vector<Look>& looks, std::optional<std::uint32_t> threads,
    const std::function<bool(const Point&)>& fails = [](const Point&) { return false; }) {
  std::vector<Measurement> known;
  std::set<measure::PointKey> keys;
  measure::Request request;
  request.was_asked = [&](const Point& point) { return keys.contains(key_of(point)); };
  for (const Look look : looks) {
    request.look = look;
    for (int round = 0; round < 50; ++round) {
      const std::vector<Point> points = contention_points(request, known, threads);
      if (points.empty()) break;
      EXPECT_LT(round, 49) << "it asks for ever";
      for (Point point : points) {
        EXPECT_TRUE(keys.insert(key_of(point)).second);
        if (fails(point)) continue;
        const double gbps = 100 * point.x.load.value();
        point.x.gpu_gbps = gbps;
        known.push_back(
            {.point = point, .unit = "ns", .values = std::vector<double>(5, latency_at(gbps)), .state = {}});
        known.back().state.shape = {{"groups", 8}, {"rounds", gbps}, {"same_silicon", 0}};
      }
    }
  }
  return known;
}

const std::vector<Look> all_looks{Look::first, Look::closer, Look::closest};

TEST(ContentionPlan, ACloserLookOnlyAddsToTheOneBefore) {
  const auto loads = [](const std::vector<Look>& looks) {
    std::set<std::pair<double, double>> found;
    for (const Measurement& one : asked(looks, 2))
      found.emplace(one.point.x.load.value(), one.point.x.cpu_threads.value());
    return found;
  };
  std::set<std::pair<double, double>> before;
  for (const std::vector<Look>& looks : {std::vector{Look::first}, {Look::first, Look::closer}, all_looks}) {
    const auto found = loads(looks);
    EXPECT_GT(found.size(), before.size());
    EXPECT_TRUE(std::ranges::includes(found, before));
    before = found;
  }
  EXPECT_TRUE(std::ranges::includes(before, loads({Look::closest})));
}

TEST(ContentionPlan, GoesOnWhereALoadFailed) {
  const auto known = asked(all_looks, 2, [](const Point& point) {
    return point.x.load == 0.6 || point.x.load == 0.65 || point.words.beside == measure::Beside::nothing;
  });
  EXPECT_GT(load_curve(known).size(), 10u);
  EXPECT_FALSE(contention.conclude({}, known).findings.empty());
}

TEST(ContentionPlan, ConcludesFromWhateverBeginningThereIs) {
  const auto known = asked(all_looks, 2);
  for (std::size_t count = 0; count < known.size(); ++count) {
    const auto found = contention.conclude({}, std::span(known).first(count)).findings;
    EXPECT_EQ(found.size(), count == 0 ? 0u : count == 1 ? 1u : 4u) << count;
  }
  // Without the idle latency nothing is said of it.
  EXPECT_TRUE(contention.conclude({}, std::span(known).subspan(1, 4)).findings.empty());
}

TEST(ContentionPlan, SpreadsADozenLoadsAndLooksCloserWhereLatencyRises) {
  const auto curve = load_curve(asked({Look::first, Look::closer}, std::nullopt));
  EXPECT_GE(curve.size(), 12u);
  EXPECT_LE(curve.size(), 20u);
  for (std::size_t at = 1; at < curve.size(); ++at) EXPECT_LE(curve[at].gpu_gbps - curve[at - 1].gpu_gbps, 10.1);
  EXPECT_NEAR(load_for(curve, 1.1).value(), 64, 1);
  EXPECT_NEAR(load_for(curve, 1.5).value(), 80, 1);
  EXPECT_EQ(load_for(curve, 2.5), std::nullopt);
  EXPECT_EQ(load_for({}, 1.1), std::nullopt);
}

TEST(ContentionPlan, AMachineThatGetsSlowerMeanwhileIsNoContention) {
  std::vector<Measurement> known;
  const auto add = [&](double gbps, const Curve& curve, double value) {
    const Point point = point_on(curve, {.cpu_threads = 0, .gpu_gbps = gbps, .load = gbps / 100});
    known.push_back(
        {.point = point, .unit = std::string(curve.unit.name), .values = {value, value, value}, .state = {}});
  };
  add(0, walk_under_load, 100);
  for (const auto& [gbps, ns, ratio] :
       {std::tuple(20, 130.0, 1.01), std::tuple(40, 160.0, 1.2), std::tuple(60, 170.0, 1.02),
        std::tuple(80, 180.0, 1.05), std::tuple(100, 190.0, 1.25)}) {
    add(gbps, walk_under_load, ns);
    add(gbps, times_idle_under_load, ratio);
  }
  const auto curve = load_curve(known);
  ASSERT_EQ(curve.size(), 6u);
  EXPECT_EQ(curve.back().latency_ns, 190);
  // One load that stood out alone is passed over: from here on it is so at every one.
  EXPECT_NEAR(load_for(curve, 1.1).value(), 85, 1e-9);
  EXPECT_EQ(load_for(curve, 1.5), std::nullopt);
}

TEST(ContentionPlan, HasAControlAndCpuThreads) {
  const auto known = asked(all_looks, 4);
  const auto count = [&](auto claim) { return std::ranges::count_if(known, claim); };
  EXPECT_EQ(count([](const Measurement& one) { return one.point.words == walk_in_control.words; }), 2);
  for (const double threads : {1, 2, 4}) {
    EXPECT_EQ(count([&](const Measurement& one) { return one.point.x.cpu_threads.value() == threads; }), 3) << threads;
  }
}

TEST(ContentionPlan, WhereNoThreadCanReadOneIsAskedForSoThatTheRecordSaysWhy) {
  const auto count = [](std::optional<std::uint32_t> most_threads) {
    return std::ranges::count_if(asked({Look::first}, most_threads),
                                 [](const Measurement& one) { return one.point.x.cpu_threads.value() > 0; });
  };
  EXPECT_EQ(count(0), 1);
  EXPECT_EQ(count(std::nullopt), 0);
}

TEST(ContentionPlan, EndsWhereFullLoadCannotBeHad) {
  EXPECT_EQ(asked(all_looks, 1, [](const Point& point) { return point.x.load == 1.0; }).size(), 1u);
}

// --- a simulated machine ---

device::model::Description shared_memory() {
  device::model::Description model;
  model.name = "shared memory";
  model.compute_units = 16;
  model.memory_bytes = 1ull << 26;  // small arrays, as the simulation has to write them
  model.clock_mhz = 2500;
  model.launch_ns = 8000;
  model.noise = {.relative = 0.01};
  model.levels.resize(2);
  model.levels[0] = {.bytes = 1 << 20, .latency_ns = 90, .read_gbps = 2000, .write_gbps = 1000};
  model.levels[1].latency_ns = 290;
  model.levels[1].read_gbps = 215;
  model.levels[1].write_gbps = 200;
  model.saturated_by = 16;
  model.cpu = {.idle_latency_ns = 140, .loaded_latency_ns = 310, .contention_knee_gbps = 150};
  return model;
}

TEST(SimulatedCompanion, SeesLatencyByWhatTheGpuMovesAtThatMoment) {
  const device::model::Description model = shared_memory();
  device::model::Timeline timeline{.now_ns = 0, .full_gbps = 215, .spans = {}};
  EXPECT_DOUBLE_EQ(device::model::cpu_latency_ns(model.cpu, 0, 215), 140);
  EXPECT_DOUBLE_EQ(device::model::cpu_latency_ns(model.cpu, 150, 215), 140);
  EXPECT_DOUBLE_EQ(device::model::cpu_latency_ns(model.cpu, 182.5, 215), 225);
  EXPECT_DOUBLE_EQ(device::model::cpu_latency_ns(model.cpu, 400, 215), 310);
  const auto companion = device::model::simulated_companion(model, timeline);
  const auto windows = companion->chase_during([&] {
    timeline.spans.push_back({10e6, 20e6, 300});
    timeline.now_ns = 30e6;
  });
  for (const ChaseWindow& one : windows) {
    if (one.begin.count() > 20e6 || one.end.count() < 10e6) {
      EXPECT_NEAR(one.ns_per_load, 140, 10);
    }
    if (one.begin.count() > 10e6 && one.end.count() < 20e6) {
      EXPECT_NEAR(one.ns_per_load, 310, 20);
    }
  }
  EXPECT_GE(windows.back().end.count(), 30e6);
}

TEST(Contention, AModelsAnswersComeBackWithinFivePercent) {
  const auto device = device::model::open(shared_memory());
  test::RecordingObserver observer;
  measure::RunnerOptions options{.request = {.look = Look::first}};
  options.host_time = [] { return counters::HostTime{}; };
  measure::run_probe(*device, contention, options, observer);
  const auto value = [&](const FindingKind& kind) {
    for (const measure::Finding& finding : observer.findings) {
      if (finding.kind == &kind) return finding.value.value_or(-1);
    }
    return -2.0;
  };
  EXPECT_NEAR(value(idle_latency), 140, 7);
  EXPECT_NEAR(value(full_load_latency), 310, 15.5);
  const double slope = (310 - 140) / (215 - 150.0);
  EXPECT_NEAR(value(load_for_10_percent), 150 + 14 / slope, 0.05 * 155);
  EXPECT_NEAR(value(load_for_50_percent), 150 + 70 / slope, 0.05 * 177);
  EXPECT_NEAR(value(cpu_loss), 1 - 140.0 / 310, 0.03);
  for (const Measurement& one : observer.measurements) {
    if (one.point.words == walk_in_control.words && one.unit == "ns") {
      EXPECT_NEAR(analysis::summarize(one.values).median, 140, 7);
    }
  }
}

// --- the reverse ---

// Memory that nobody has written yet is slow once; the share of bandwidth that is dialled is one of what comes after.
TEST(ThrottledAdd, HoldsAShareOfFullBandwidthWhateverTheFirstLapTook) {
  device::DeviceInfo info;
  info.type = device::DeviceType::cpu;
  info.compute_units = 2;
  std::uint64_t trips_made = 0;
  const auto trip_ns = [](double rounds) { return 100 * std::max(1.0, rounds / 4); };
  test::ClockedDevice device(info, [&](const test::NumberedKernel&, const device::Launch& launch) {
    const std::uint32_t trips = launch.scalars[0];
    const std::uint32_t blocks = launch.scalars[2];
    const double rounds = launch.scalars[9] + launch.scalars[10] / 64.0;
    const double slower = trips_made < blocks ? 4 : 1;
    trips_made += trips;
    return device::Nanoseconds(1000 + slower * trips * trip_ns(rounds));
  });
  workloads::ThrottledAdd sum(device, {.group_size = 1, .groups = 2, .vector_words = 16, .in_flight = 8}, 64 << 20, 1);
  for (const double load : {1.0, 0.8, 0.5, 0.1}) {
    sum.throttle(load);
    EXPECT_NEAR(trip_ns(0) / trip_ns(sum.rounds()), load, 0.03) << sum.rounds();
  }
}

TEST(Reverse, AsksForEachTrafficAndNumberOfThreadsAloneAndAtFullBandwidth) {
  const measure::Shape shape{{"groups", 8}};
  const std::vector<Point> points = reverse_points({.look = Look::closer}, 3, shape);
  for (const Pattern traffic : {Pattern::read, Pattern::write, Pattern::copy}) {
    for (const double load : {0, 1}) {
      for (const double threads : {0, 1, 2, 3}) {
        EXPECT_EQ(std::ranges::count_if(points,
                                        [&](const Point& one) {
                                          return one.words == Words{.pattern = traffic, .side = Side::gpu} &&
                                                 one.x.load == load && one.x.cpu_threads == threads &&
                                                 one.shape == shape;
                                        }),
                  1)
            << measure::word_of(traffic) << load << threads;
      }
    }
  }
  EXPECT_EQ(points.size(), 24u);
  EXPECT_EQ(reverse_points({.look = Look::first}, 3, shape).size(), 4u);
  for (const Point& one : points) {
    const double threads = one.x.cpu_threads.value();
    EXPECT_EQ(one.visits, threads == 0 || threads == 3 ? measure::usual_visits : 1) << threads;
  }
  const std::vector<Point> without = reverse_points({.look = Look::closer}, 0, shape);
  ASSERT_EQ(without.size(), 1u);
  const auto device = device::model::open(shared_memory());
  EXPECT_THROW((void)reverse_workload(*device, without.front(), {}, 1 << 20, {}), device::Unsupported);
}

/// The model answers within a time slice. Where other programs have this machine's cores, the load may have had none.
template <typename Repeat>
measure::Repetitions while_all_threads_run(Repeat repeat) {
  for (int attempt = 1;; ++attempt) {
    try {
      return repeat();
    } catch (const device::Unsupported& reason) {
      EXPECT_NE(std::string(reason.what()).find("measure again when those are idle"), std::string::npos);
      if (attempt == 100) throw;
    }
  }
}

TEST(Reverse, ThreadsOfTheCpuRunBesideTheDeviceAndSayWhatTheyMoved) {
  const auto device = device::model::open(shared_memory());
  const std::vector<cpu::Core> cores{cpu::machine().cores.back()};
  const measure::Limits limits = measure::limits_of();
  const measure::Shape shape{{"groups", 16},       {"group_size", 64}, {"in_flight", 1},
                             {"vector_bytes", 16}, {"interleaved", 1}, {"spread", 0}};
  for (const Point& point : reverse_points({.look = Look::first}, 1, shape)) {
    const measure::Workload workload = reverse_workload(*device, point, {}, 3 << 20, cores);
    EXPECT_FALSE(workload.one_core);
    const measure::Repetitions all =
        while_all_threads_run([&] { return std::get<SelfTimedWork>(workload.work).repeat(limits, [] {}); });
    EXPECT_FALSE(all.values.empty());
    if (point.x.cpu_threads.value() == 0) {
      EXPECT_TRUE(all.extra.empty());
    } else {
      ASSERT_EQ(all.extra.size(), 1u);
      EXPECT_EQ(all.extra[0].curve, &cpu_bandwidth);
      EXPECT_GT(all.extra[0].values.at(0), 0);
    }
  }
}

TEST(Reverse, FindsWhatTheMostThreadsCostTheGpu) {
  std::vector<Measurement> all;
  const auto add = [&](Pattern traffic, const Curve& curve, double threads, double value) {
    const double load = &curve == &gpu_latency ? 0 : 1;
    all.push_back({.point = point_on(curve, {.cpu_threads = threads, .load = load}, {.pattern = traffic}),
                   .unit = std::string(curve.unit.name),
                   .values = {value, value, value},
                   .state = {}});
  };
  for (const auto& [threads, gbps, ns] :
       {std::tuple(0, 200.0, 300.0), std::tuple(4, 100.0, 600.0), std::tuple(2, 150.0, 400.0)}) {
    add(Pattern::copy, gpu_bandwidth, threads, gbps);
    add(Pattern::copy, gpu_latency, threads, ns);
  }
  add(Pattern::copy, cpu_bandwidth, 4, 50);
  add(Pattern::read, gpu_bandwidth, 0, 200);  // and nothing beside it
  const std::vector<measure::Finding> findings = reverse_findings(all);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, &gpu_loss);
  EXPECT_DOUBLE_EQ(findings[0].value.value(), 0.5);
  EXPECT_EQ(findings[0].evidence,
            "While 4 CPU threads read and wrote at full speed the GPU moved 100 GB/s instead of 200 GB/s (0.49 to "
            "0.51 of it in another run), and one of its loads took 600 ns instead of 300 ns.");
  EXPECT_LT(findings[0].low.value(), 0.495) << "one visit has an interval, whose values agree";
  EXPECT_GT(findings[0].high.value(), 0.505);
}

TEST(Reverse, WhatTheGpuLosesIsKnownAsFarAsVisitsAgree) {
  const auto visited = [](double threads, const std::vector<double>& gbps) {
    return Measurement{
        .point = point_on(gpu_bandwidth, {.cpu_threads = threads, .load = 1}, {.pattern = Pattern::copy}),
        .unit = "GB/s",
        .values = {gbps[0], gbps[0], gbps[0], gbps[1], gbps[1], gbps[1], gbps[2], gbps[2], gbps[2]},
        .state = {},
        .visits = {3, 3, 3}};
  };
  // Alone and beside change together, so that the share hardly does.
  const std::vector<measure::Finding> findings =
      reverse_findings(std::vector{visited(0, {100, 200, 150}), visited(4, {50, 101, 75})});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_DOUBLE_EQ(findings[0].value.value(), 0.5);
  EXPECT_LT(findings[0].low.value(), 0.5);
  EXPECT_GT(findings[0].low.value(), 0.47);
  EXPECT_GT(findings[0].high.value(), 0.5);
  EXPECT_LT(findings[0].high.value(), 0.53);
  EXPECT_NE(findings[0].evidence.find("instead of 150 GB/s (0.49"), std::string::npos) << findings[0].evidence;
}

TEST(Contention, AModelWithoutACpuIsSkippedWithItsReason) {
  device::model::Description model = shared_memory();
  model.cpu = {};
  const auto device = device::model::open(model);
  EXPECT_THROW((void)device->companion(), device::Unsupported);
}

}  // namespace
}  // namespace sonde::probes::contention_probe
