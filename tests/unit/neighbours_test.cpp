// Something else on the measured core, which no counter shows: told by hits that take longer, waited for, left out.

#include "measure/neighbours.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "gpu/error.hpp"
#include "measure/repetitions.hpp"
#include "measure/runner.hpp"
#include "probes/alu_chain.hpp"
#include "support/recording_observer.hpp"
#include "support/scripted_device.hpp"
#include "support/walk_workload.hpp"

namespace sonde::measure {
namespace {

using gpu::Nanoseconds;
using test::ScriptedDevice;

constexpr double true_ns = 10;  // Script::hop_ns
constexpr double hits_bytes = 16 << 10;
constexpr double measured_bytes = 256 << 10;
constexpr Nanoseconds patience{100e6};

std::shared_ptr<Neighbours> neighbours_on(gpu::Device& device, Nanoseconds most = patience) {
  return std::make_shared<Neighbours>(test::walk_over(device, hits_bytes), probes::alu_chain(device), most);
}

/// A core of which neighbours take a half while `there`.
class SharedCore {
 public:
  explicit SharedCore(Nanoseconds most = patience) : neighbours(neighbours_on(device, most)) {}

  bool there = false;
  double clock_slowdown = 1;
  std::function<void()> at_each_dispatch = [] {};
  ScriptedDevice device{{.slowdown =
                             [this](std::size_t, double) {
                               at_each_dispatch();
                               return clock_slowdown;
                             },
                         .slowdown_of_walks = [this] { return there ? 2.0 : 1.0; }}};
  std::shared_ptr<Neighbours> neighbours;

  Repetitions measured() {
    return repeat(test::walk_over(device, measured_bytes), limits_of(Effort::quick), [] {}, neighbours.get());
  }
};

TEST(Neighbours, AreToldByHitsThatTakeLonger) {
  SharedCore core;
  EXPECT_FALSE(core.neighbours->there());
  core.there = true;
  EXPECT_TRUE(core.neighbours->there());
  core.there = false;
  EXPECT_FALSE(core.neighbours->there());
}

TEST(Neighbours, OneInterruptionIsNone) {
  ScriptedDevice device({.noise = 0.05, .interruption_share = 0.02, .seed = 3});
  const auto neighbours = neighbours_on(device);
  int seen = 0;
  for (int look = 0; look < 300; ++look) seen += neighbours->there() ? 1 : 0;
  // Two looks after each other interrupted, four times in ten thousand.
  EXPECT_LE(seen, 2);
}

TEST(Neighbours, AnInterruptedChainMakesNoneOfThoseWhoLookLater) {
  // Of a chain's dispatches so many are interrupted that among the first looks there are some, whatever the seed.
  ScriptedDevice device({.interruption_share = 0.1, .seed = 5});
  const auto neighbours = neighbours_on(device);
  int seen = 0;
  for (int look = 0; look < 100; ++look) seen += neighbours->there() ? 1 : 0;
  // A walk and its repetition: one or two in a hundred, and chains of which both were interrupted hide some.
  EXPECT_LE(seen, 5);
}

TEST(Neighbours, ASlowerClockIsNone) {
  SharedCore core;
  core.clock_slowdown = 1.17;
  for (int look = 0; look < 10; ++look) EXPECT_FALSE(core.neighbours->there());
  EXPECT_EQ(core.measured().neighbours, 0);
  core.there = true;
  EXPECT_TRUE(core.neighbours->there()) << "hidden by the clock";
}

TEST(Neighbours, ArithmeticThatWasHeldUpAtFirstMakesNone) {
  double held_up = 1.5;
  ScriptedDevice device(
      {.slowdown = [&](std::size_t, double) { return held_up; }, .slowdown_of_walks = [&] { return 1 / held_up; }});
  const auto neighbours = neighbours_on(device);
  held_up = 1;
  for (int look = 0; look < 10; ++look) EXPECT_FALSE(neighbours->there());
}

TEST(Neighbours, WhatSlowsHitsForGoodIsUsualAfterAWhile) {
  SharedCore core;
  core.there = true;
  int looks = 0;
  while (core.neighbours->there() && looks < 1000) ++looks;
  EXPECT_GT(looks, 100) << "neighbours of a second were taken for usual";
  EXPECT_LT(looks, 1000);
}

TEST(Neighbours, AreWaitedForAsLongAsPatienceLasts) {
  SharedCore core;
  core.there = true;
  int dispatches = 0;
  core.at_each_dispatch = [&] { core.there = ++dispatches < 100; };
  EXPECT_TRUE(core.neighbours->gone([] {}));
  EXPECT_GE(dispatches, 100);
  core.at_each_dispatch = [&] { core.there = true; };
  int signs_of_life = 0;
  EXPECT_FALSE(core.neighbours->gone([&] { ++signs_of_life; }));
  EXPECT_GT(signs_of_life, 100);
  EXPECT_FALSE(core.neighbours->gone([] { ADD_FAILURE() << "patience came back"; }));
}

TEST(Neighbours, PairsBesideThemAreLeftOutWhereEnoughAreWithout) {
  SharedCore core;
  // Longer than a look and a pair, far shorter than patience.
  int dispatches = 0;
  core.at_each_dispatch = [&] { core.there = ++dispatches % 240 < 40; };
  const Repetitions repetitions = core.measured();
  EXPECT_EQ(repetitions.neighbours, 0);
  EXPECT_GE(repetitions.values.size(), 7u);
  for (const double value : repetitions.values) EXPECT_NEAR(value, true_ns, 1e-6);
}

TEST(Neighbours, WhereTheyStayValuesBesideThemHaveToDoAndAreSaidToBe) {
  SharedCore core;
  core.there = true;
  const Repetitions repetitions = core.measured();
  EXPECT_EQ(repetitions.neighbours, 1);
  EXPECT_EQ(repetitions.values.size(), 7u);
  for (const double value : repetitions.values) EXPECT_NEAR(value, 2 * true_ns, 1e-6);
}

TEST(Neighbours, ThoseWhoComeWithEveryPairDoNotMakeItEndless) {
  SharedCore core;
  // Beside the second look after each pair there are none: waiting always helps, and never lasts.
  int dispatches = 0;
  core.at_each_dispatch = [&] { core.there = ++dispatches % 5 != 0; };
  const Repetitions repetitions = core.measured();
  EXPECT_LE(repetitions.values.size(), 3 * static_cast<std::size_t>(limits_of(Effort::quick).most_repetitions));
}

TEST(Neighbours, ForTheirSakeWorkIsDoneAgainAsLongAsPatienceLasts) {
  constexpr Nanoseconds little{1e6};  // less than a pair
  SharedCore core(little);
  int dispatches = 0;
  core.at_each_dispatch = [&] { core.there = ++dispatches % 240 < 40; };
  for (int point = 0; point < 2; ++point) {
    const Repetitions repetitions = core.measured();
    EXPECT_EQ(repetitions.neighbours > 0, point > 0);
    EXPECT_LE(repetitions.values.size(), 8u);
  }
}

TEST(Neighbours, AWalkThatDoesNotDoItsWorkIsAnError) {
  ScriptedDevice device({.drops_work = true});
  EXPECT_THROW(neighbours_on(device), gpu::Error);
}

TEST(Neighbours, ArithmeticThatIsNotDoneIsAnError) {
  ScriptedDevice working({});
  ScriptedDevice idle({.drops_work = true});
  EXPECT_THROW(Neighbours(test::walk_over(working, hits_bytes), probes::alu_chain(idle), patience), gpu::Error);
}

State state_of_a_point(gpu::DeviceType type) {
  bool there = false;
  ScriptedDevice device({.type = type, .slowdown_of_walks = [&] { return there ? 2.0 : 1.0; }});
  const auto neighbours = neighbours_on(device, Nanoseconds{0});
  there = true;
  Probe probe = probes::latency;
  probe.next = [](const gpu::DeviceInfo&, const Request&, std::span<const Measurement> known) {
    return known.empty() ? std::vector<Point>{test::point_of(measured_bytes)} : std::vector<Point>{};
  };
  probe.conclude = [](const Request&, std::span<const Measurement>) { return Conclusion{}; };
  test::RecordingObserver observer;
  run_probe(device, probe,
            {.request = {.effort = Effort::quick},
             .host_time = [] { return counters::HostTime{}; },
             .neighbours = neighbours},
            observer);
  return observer.measurements.at(0).state;
}

TEST(Neighbours, OfAPointOnACpuAreInItsStateAndDisturbIt) {
  const State state = state_of_a_point(gpu::DeviceType::cpu);
  EXPECT_EQ(state.neighbours, 1);
  EXPECT_TRUE(state.disturbed);
  EXPECT_EQ(state.attempts, 1) << "they were waited for already";
}

TEST(Neighbours, AreNotLookedForOnAGpu) {
  const State state = state_of_a_point(gpu::DeviceType::integrated);
  EXPECT_EQ(state.neighbours, 0);
  EXPECT_FALSE(state.disturbed);
}

}  // namespace
}  // namespace sonde::measure
