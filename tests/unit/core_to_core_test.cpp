// Two threads that pass lines to and fro, on this machine's own CPUs, and what is concluded of many pairs.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cpu/device.hpp"
#include "cpu/instructions.hpp"
#include "measure/repetitions.hpp"
#include "probes/catalog.hpp"
#include "probes/core_to_core/pair.hpp"
#include "workloads/cpu/cpu_walk.hpp"

namespace sonde::probes {
namespace {

using measure::Exchange;
using measure::LineState;
using measure::Placement;
using measure::QueueRole;
using namespace core_to_core_probe;

/// The first and the last core of this machine; empty where it has one.
std::vector<int> two_cpus() {
  const cpu::Topology& machine = cpu::machine();
  if (machine.cores.size() < 2) return {};
  return {machine.cores.front().cpu, machine.cores.back().cpu};
}

class CoreToCorePair : public ::testing::Test {
 protected:
  void SetUp() override {
    if (two_cpus().empty()) GTEST_SKIP() << "this process may use one core only";
  }
};

constexpr ExchangeSize little{.lines = 4, .samples = 2, .round_trips = 100};

TEST_F(CoreToCorePair, RoundTripsOfEveryLineHaveATimeAndAreProved) {
  PinnedPair pair(two_cpus()[0], two_cpus()[1]);
  EXPECT_TRUE(pair.pinned());
  ExchangedLines lines(little, 64, 1);
  for (const Exchange exchange : {Exchange::compare_and_swap, Exchange::store, Exchange::compare_and_swap}) {
    const std::vector<double> medians = lines.round_trips(pair, exchange);
    ASSERT_EQ(medians.size(), 4u);
    for (const double ns : medians) EXPECT_GT(ns, 1);
  }
}

TEST_F(CoreToCorePair, WalksThroughHeldLinesSeeWhatWasWrittenForThem) {
  PinnedPair pair(two_cpus()[0], two_cpus()[1]);
  HeldLines lines(64, 1);
  for (const LineState held : {LineState::modified, LineState::clean}) EXPECT_EQ(lines.walks(pair, held, 3).size(), 3u);
}

TEST_F(CoreToCorePair, AQueueHasARateAtEitherEnd) {
  PinnedPair pair(two_cpus()[0], two_cpus()[1]);
  ChunkQueue queue(64, 512, 64);
  const QueueRates rates = queue.trials(pair, 2);
  ASSERT_EQ(rates.writer.size(), 2u);
  ASSERT_EQ(rates.reader.size(), 2u);
  EXPECT_GT(std::ranges::min(rates.writer), 0);
  EXPECT_GT(std::ranges::min(rates.reader), 0);
}

TEST_F(CoreToCorePair, WhatOneThreadThrowsEndsBoth) {
  PinnedPair pair(two_cpus()[0], two_cpus()[1]);
  const auto waits = [](SpinWait& wait) { wait.until([] { return false; }); };
  const auto fails = [](SpinWait&) { throw device::Error("a reason"); };
  // Else the waiting thread would say that the system did not run the other.
  EXPECT_THROW(pair.run_on_both(waits, fails), device::Error);
  EXPECT_THROW(pair.run_on_both(fails, waits), device::Error);
}

TEST(NanosecondsEach, RefusesAClockThatStandsStillOrStepsTooFar) {
  using device::Nanoseconds;
  using workloads::nanoseconds_each;
  EXPECT_DOUBLE_EQ(nanoseconds_each(Nanoseconds(12'030), 100, Nanoseconds(30)), 120) << "without reading the clock";
  EXPECT_THROW(nanoseconds_each(Nanoseconds(0), 100, Nanoseconds(0)), device::Error);
  EXPECT_THROW(nanoseconds_each(Nanoseconds(-5), 100, Nanoseconds(1)), device::Error);
  EXPECT_DOUBLE_EQ(nanoseconds_each(Nanoseconds(542), 256, Nanoseconds(30)), 2);
  EXPECT_THROW(nanoseconds_each(Nanoseconds(12'000), 100, Nanoseconds(2000)), device::TooShort);
  EXPECT_GT(workloads::clock_step().count(), 0);
}

TEST(CoreToCore, IsAskedOfTheCpuItselfOnly) {
  EXPECT_TRUE(core_to_core.obstacle({.api = device::Api::opencl}));
  EXPECT_TRUE(is_asked_through(core_to_core, device::Api::cpu));
  EXPECT_FALSE(is_asked_through(core_to_core, device::Api::vulkan));
}

/// The numbers of values of this machine's first point on a curve, and of the curve that is seen with it.
std::pair<std::size_t, std::size_t> values_of_first(const Curve& curve, const Curve& second) {
  const measure::Request request{.look = Look::first};
  const std::vector<Point> points = core_to_core_points(cpu::machine(), request);
  const auto point = std::ranges::find(points, &curve, &Point::curve);
  const auto device = cpu::open();
  const Workload workload = curve.prepare(*device, *point, request);
  EXPECT_EQ(workload.shape.at("pinned"), 1);
  const Repetitions found = std::get<SelfTimedWork>(workload.work).repeat(measure::Limits(), [] {});
  if (found.extra.empty()) return {found.values.size(), 0};
  EXPECT_EQ(found.extra.front().curve, &second);
  return {found.values.size(), found.extra.front().values.size()};
}

TEST_F(CoreToCorePair, EachKindOfPointHasItsTwoCurves) {
  using Sizes = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(values_of_first(exchange_by_compare_and_swap, exchange_by_stores), Sizes(32, 32));
  // Of five trials those that nobody disturbed, where they are three or more.
  const Sizes trials = values_of_first(queue_writer, queue_reader);
  EXPECT_EQ(trials.first, trials.second);
  EXPECT_GE(trials.first, 3u);
  EXPECT_LE(trials.first, 5u);
  EXPECT_EQ(values_of_first(modified_line, clean_line), cpu::can_flush ? Sizes(15, 15) : Sizes(15, 0));
}

TEST_F(CoreToCorePair, PairsAtOnceEachHaveTheirTimes) {
  const cpu::Topology& machine = cpu::machine();
  const std::vector<CpuPair> pairs{{.from = &machine.cores.front(), .to = &machine.cores.back()}};
  const std::vector<PairTimes> times = exchanges_at_once(pairs, little, 64, 1);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].by_compare_and_swap.size(), 4u);
  EXPECT_EQ(times[0].by_stores.size(), 4u);
}

TEST_F(CoreToCorePair, ACopyHasARateAtEitherEndAndIsProved) {
  PinnedPair pair(two_cpus()[0], two_cpus()[1]);
  BulkCopy copy(4 << 20);
  int signs = 0;
  const QueueRates rates = copy.trials(pair, 2, [&signs] { ++signs; });
  EXPECT_EQ(rates.writer.size(), 2u);
  EXPECT_EQ(rates.reader.size(), 2u);
  EXPECT_GE(signs, 2);
}

// --- conclusions ---

Measurement measured(const Words& words, int from, int to, std::vector<double> values, const char* unit = "ns") {
  return {.point = {.words = words, .x = {.from = from, .to = to}}, .unit = unit, .values = std::move(values)};
}

Words exchange(Placement placement) { return with(exchange_by_compare_and_swap.words, {.placement = placement}); }

TEST(CoreToCore, ConcludesOnEachPlacementByItself) {
  const Words adjacent = exchange(Placement::same_cluster);
  const Words remote = exchange(Placement::other_node);
  const std::vector<Measurement> all{
      measured(adjacent, 0, 1, {90, 100, 110}), measured(adjacent, 1, 0, {100, 102, 200}),
      measured(adjacent, 1, 2, {103, 104, 105}), measured(remote, 0, 8, {400, 500, 600})};
  const Conclusion conclusion = core_to_core.conclude({}, all);
  ASSERT_EQ(conclusion.findings.size(), 2u);
  const Finding& distant = conclusion.findings[1];
  EXPECT_EQ(distant.words.placement, Placement::other_node);
  EXPECT_EQ(distant.value, 500);
  const Finding& close = conclusion.findings[0];
  EXPECT_EQ(close.kind, &exchange_latency);
  EXPECT_EQ(close.value, 102);
  EXPECT_NE(close.evidence.find("from 100 (CPU 0 to CPU 1) to 104 (CPU 1 to CPU 2)"), std::string::npos)
      << close.evidence;
  EXPECT_NE(close.evidence.find("2.00 times"), std::string::npos) << close.evidence;
}

TEST(CoreToCore, TellsRolesAndStatesOfLinesApart) {
  const std::vector<Measurement> all{
      measured({.line = LineState::modified, .placement = Placement::same_core, .role = QueueRole::reader}, 0, 1,
               {40, 41, 42}),
      measured({.placement = Placement::same_core, .role = QueueRole::writer}, 0, 1, {9, 10, 11}, "GB/s"),
      measured({.placement = Placement::same_core, .role = QueueRole::reader}, 0, 1, {6, 7, 8}, "GB/s")};
  const Conclusion conclusion = core_to_core.conclude({}, all);
  std::map<std::pair<std::string_view, QueueRole>, double> found;
  for (const Finding& one : conclusion.findings) found[{one.kind->name, one.words.role.value()}] = *one.value;
  EXPECT_EQ(found,
            (std::map<std::pair<std::string_view, QueueRole>, double>{{{"held-line-latency", QueueRole::reader}, 41},
                                                                      {{"queue-rate", QueueRole::writer}, 10},
                                                                      {{"queue-rate", QueueRole::reader}, 7}}));
}

TEST(CoreToCore, SaysWhatPairsAtOnceTookBesideThoseThatWentAlone) {
  const Words alone = exchange(Placement::other_cluster);
  const Words at_once = with(alone, {.beside = measure::Beside::pairs});
  const std::vector<Measurement> all{measured(alone, 0, 8, {200, 200}), measured(at_once, 0, 8, {260, 260}),
                                     measured(at_once, 1, 9, {300, 300})};
  const Conclusion conclusion = core_to_core.conclude({}, all);
  ASSERT_EQ(conclusion.findings.size(), 2u);
  const Finding& loaded = conclusion.findings[1];
  EXPECT_EQ(loaded.words.beside, measure::Beside::pairs);
  EXPECT_DOUBLE_EQ(loaded.details.at("times_alone"), 1.3);
  EXPECT_NE(loaded.evidence.find("in each other's way"), std::string::npos) << loaded.evidence;
  EXPECT_FALSE(conclusion.findings[0].details.contains("times_alone"));
}

TEST(CoreToCore, SaysWhatTheMemoryAtTheOtherSideMakesOfIt) {
  const Words held{.line = LineState::modified, .placement = Placement::other_node, .role = QueueRole::reader};
  Measurement elsewhere = measured(held, 0, 8, {310, 310});
  elsewhere.point.x.node = 1;
  const std::vector<Measurement> all{measured(held, 0, 8, {250, 250}), elsewhere};
  const Conclusion conclusion = core_to_core.conclude({}, all);
  ASSERT_EQ(conclusion.findings.size(), 1u);
  EXPECT_EQ(conclusion.findings[0].value, 250);
  EXPECT_EQ(conclusion.findings[0].details.at("memory_at_other_side"), 310);
}

}  // namespace
}  // namespace sonde::probes
