// Something else on the measured core, which no counter shows: told by hits that take longer, waited for, left out.

#include "measure/smt_interference.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "measure/repetitions.hpp"
#include "measure/runner.hpp"
#include "support/recording_observer.hpp"
#include "support/scripted_device.hpp"
#include "support/walk_workload.hpp"
#include "workloads/arithmetic/arithmetic.hpp"

namespace sonde::measure {
namespace {

using device::Nanoseconds;
using test::ScriptedDevice;
using test::walk_over;

constexpr double true_ns = 10;  // Script::hop_ns
constexpr double hits_bytes = 16 << 10;
constexpr double measured_bytes = 256 << 10;
constexpr Nanoseconds patience{100e6};

SteppedWork arithmetic_on(device::Device& device) { return test::stepped(workloads::arithmetic_chain(device)); }

std::shared_ptr<SmtInterference> interference_on(device::Device& device, Nanoseconds most = patience) {
  return std::make_shared<SmtInterference>(walk_over(device, hits_bytes), arithmetic_on(device), most);
}

/// A core of which neighbours take a half while `there`.
class SharedCore {
 public:
  explicit SharedCore(Nanoseconds most = patience) : smt_interference(interference_on(device, most)) {}

  bool there = false;
  double clock_slowdown = 1;
  std::function<void()> at_each_dispatch = [] {};
  ScriptedDevice device{{.slowdown =
                             [this](std::size_t, double) {
                               at_each_dispatch();
                               return clock_slowdown;
                             },
                         .slowdown_of_walks = [this] { return there ? 2.0 : 1.0; }}};
  std::shared_ptr<SmtInterference> smt_interference;

  Repetitions measured() {
    return repeat(walk_over(device, measured_bytes), limits_of(), [] {}, smt_interference.get());
  }
};

TEST(SmtInterference, AreToldByHitsThatTakeLonger) {
  SharedCore core;
  EXPECT_FALSE(core.smt_interference->present());
  core.there = true;
  EXPECT_TRUE(core.smt_interference->present());
  core.there = false;
  EXPECT_FALSE(core.smt_interference->present());
}

TEST(SmtInterference, OneInterruptionIsNone) {
  ScriptedDevice device({.noise = 0.05, .interruption_share = 0.02, .seed = 3});
  const auto smt_interference = interference_on(device);
  int seen = 0;
  for (int look = 0; look < 300; ++look) seen += smt_interference->present() ? 1 : 0;
  // Two looks after each other interrupted, four times in ten thousand.
  EXPECT_LE(seen, 2);
}

TEST(SmtInterference, AnInterruptedChainMakesNoneOfThoseWhoLookLater) {
  // So many of a chain's dispatches are interrupted that the first looks meet some, whatever the seed.
  ScriptedDevice device({.interruption_share = 0.1, .seed = 5});
  const auto smt_interference = interference_on(device);
  int seen = 0;
  for (int look = 0; look < 100; ++look) seen += smt_interference->present() ? 1 : 0;
  // A walk and its repetition: one or two in a hundred, and chains of which both were interrupted hide some.
  EXPECT_LE(seen, 5);
}

TEST(SmtInterference, ASlowerClockIsNone) {
  SharedCore core;
  core.clock_slowdown = 1.17;
  for (int look = 0; look < 10; ++look) EXPECT_FALSE(core.smt_interference->present());
  EXPECT_EQ(core.measured().smt_interference, 0);
  core.there = true;
  EXPECT_TRUE(core.smt_interference->present()) << "hidden by the clock";
}

TEST(SmtInterference, ArithmeticThatWasHeldUpAtFirstMakesNone) {
  double held_up = 1.5;
  ScriptedDevice device(
      {.slowdown = [&](std::size_t, double) { return held_up; }, .slowdown_of_walks = [&] { return 1 / held_up; }});
  const auto smt_interference = interference_on(device);
  held_up = 1;
  for (int look = 0; look < 10; ++look) EXPECT_FALSE(smt_interference->present());
}

TEST(SmtInterference, WhatSlowsHitsForGoodIsUsualAfterAWhile) {
  SharedCore core;
  core.there = true;
  int looks = 0;
  while (core.smt_interference->present() && looks < 1000) ++looks;
  EXPECT_GT(looks, 100) << "neighbours of a second were taken for usual";
  EXPECT_LT(looks, 1000);
}

TEST(SmtInterference, AreWaitedForAsLongAsPatienceLasts) {
  SharedCore core;
  core.there = true;
  int dispatches = 0;
  core.at_each_dispatch = [&] { core.there = ++dispatches < 100; };
  EXPECT_TRUE(core.smt_interference->wait_until_gone([] {}));
  EXPECT_GE(dispatches, 100);
  core.at_each_dispatch = [&] { core.there = true; };
  int signs_of_life = 0;
  EXPECT_FALSE(core.smt_interference->wait_until_gone([&] { ++signs_of_life; }));
  EXPECT_GT(signs_of_life, 100);
  EXPECT_FALSE(core.smt_interference->wait_until_gone([] { ADD_FAILURE() << "patience came back"; }));
}

TEST(SmtInterference, PairsBesideThemAreLeftOutWhereEnoughAreWithout) {
  SharedCore core;
  // Longer than a look and a pair, far shorter than patience.
  int dispatches = 0;
  core.at_each_dispatch = [&] { core.there = ++dispatches % 240 < 40; };
  const Repetitions repetitions = core.measured();
  EXPECT_EQ(repetitions.smt_interference, 0);
  EXPECT_GE(repetitions.values.size(), 7u);
  for (const double value : repetitions.values) EXPECT_NEAR(value, true_ns, 1e-6);
}

TEST(SmtInterference, WhereTheyStayValuesBesideThemHaveToDoAndAreSaidToBe) {
  SharedCore core;
  core.there = true;
  const Repetitions repetitions = core.measured();
  EXPECT_EQ(repetitions.smt_interference, 1);
  EXPECT_EQ(repetitions.values.size(), 7u);
  for (const double value : repetitions.values) EXPECT_NEAR(value, 2 * true_ns, 1e-6);
}

TEST(SmtInterference, ThoseWhoComeWithEveryPairDoNotMakeItEndless) {
  SharedCore core;
  // The second look after each pair meets none: waiting always helps, and never lasts.
  int dispatches = 0;
  core.at_each_dispatch = [&] { core.there = ++dispatches % 5 != 0; };
  const Repetitions repetitions = core.measured();
  EXPECT_LE(repetitions.values.size(), 3 * static_cast<std::size_t>(limits_of().most_repetitions));
}

TEST(SmtInterference, ForTheirSakeWorkIsDoneAgainAsLongAsPatienceLasts) {
  constexpr Nanoseconds little{1e6};  // less than a pair
  SharedCore core(little);
  int dispatches = 0;
  core.at_each_dispatch = [&] { core.there = ++dispatches % 240 < 40; };
  for (int point = 0; point < 2; ++point) {
    const Repetitions repetitions = core.measured();
    EXPECT_EQ(repetitions.smt_interference > 0, point > 0);
    EXPECT_LE(repetitions.values.size(), 8u);
  }
}

TEST(SmtInterference, AWalkThatDoesNotDoItsWorkIsAnError) {
  ScriptedDevice device({.drops_work = true});
  EXPECT_THROW(interference_on(device), device::Error);
}

TEST(SmtInterference, ArithmeticThatIsNotDoneIsAnError) {
  ScriptedDevice working({});
  ScriptedDevice idle({.drops_work = true});
  EXPECT_THROW(SmtInterference(walk_over(working, hits_bytes), arithmetic_on(idle), patience), device::Error);
}

State state_of_a_point(device::DeviceType type) {
  bool there = false;
  ScriptedDevice device({.type = type, .slowdown_of_walks = [&] { return there ? 2.0 : 1.0; }});
  const auto smt_interference = interference_on(device, Nanoseconds{0});
  there = true;
  Probe probe = probes::latency;
  probe.next = [](const device::DeviceInfo&, const Request&, std::span<const Measurement> known) {
    return known.empty() ? std::vector<Point>{test::point_of(measured_bytes)} : std::vector<Point>{};
  };
  probe.conclude = [](const Request&, std::span<const Measurement>) { return Conclusion{}; };
  test::RecordingObserver observer;
  run_probe(device, probe,
            {.request = {.look = Look::first},
             .host_time = [] { return counters::HostTime{}; },
             .smt_interference = smt_interference},
            observer);
  return observer.measurements.at(0).state;
}

TEST(SmtInterference, OfAPointOnACpuAreInItsStateAndDisturbIt) {
  const State state = state_of_a_point(device::DeviceType::cpu);
  EXPECT_EQ(state.smt_interference, 1);
  EXPECT_TRUE(state.disturbed);
}

TEST(SmtInterference, AreNotLookedForOnAGpu) {
  const State state = state_of_a_point(device::DeviceType::integrated);
  EXPECT_EQ(state.smt_interference, 0);
  EXPECT_FALSE(state.disturbed);
}

}  // namespace
}  // namespace sonde::measure
