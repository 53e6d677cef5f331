// Two threads that pass lines to and fro, on this machine's own CPUs, and what is concluded of many pairs.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cpu/device.hpp"
#include "cpu/flush.hpp"
#include "gpu/error.hpp"
#include "measure/stopping.hpp"
#include "probes/catalog.hpp"
#include "probes/core_to_core/exchange.hpp"
#include "probes/core_to_core/held_lines.hpp"
#include "probes/core_to_core/pair.hpp"
#include "probes/core_to_core/plan.hpp"
#include "probes/core_to_core/queue.hpp"

namespace sonde::probes {
namespace {

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
  Pair pair(two_cpus()[0], two_cpus()[1]);
  EXPECT_TRUE(pair.pinned());
  ExchangedLines lines(little, 64, 1);
  for (const Exchange exchange : {Exchange::compare_and_swap, Exchange::store, Exchange::compare_and_swap}) {
    const std::vector<double> medians = lines.round_trips(pair, exchange);
    ASSERT_EQ(medians.size(), 4u);
    for (const double ns : medians) EXPECT_GT(ns, 1);
  }
}

TEST_F(CoreToCorePair, WalksThroughHeldLinesSeeWhatWasWrittenForThem) {
  Pair pair(two_cpus()[0], two_cpus()[1]);
  HeldLines lines(64, 1);
  for (const Held held : {Held::modified, Held::clean}) EXPECT_EQ(lines.walks(pair, held, 3).size(), 3u);
}

TEST_F(CoreToCorePair, AQueueHasARateAtEitherEnd) {
  Pair pair(two_cpus()[0], two_cpus()[1]);
  ChunkQueue queue(64, 512, 64);
  const QueueRates rates = queue.trials(pair, 2);
  ASSERT_EQ(rates.writer.size(), 2u);
  ASSERT_EQ(rates.reader.size(), 2u);
  EXPECT_GT(std::ranges::min(rates.writer), 0);
  EXPECT_GT(std::ranges::min(rates.reader), 0);
}

TEST_F(CoreToCorePair, WhatOneThreadThrowsEndsBoth) {
  Pair pair(two_cpus()[0], two_cpus()[1]);
  const auto waits = [](Patience& patience) { patience.until([] { return false; }); };
  const auto fails = [](Patience&) { throw gpu::Error("a reason"); };
  // Else the waiting thread would say that the system did not run the other.
  EXPECT_THROW(pair.together(waits, fails), gpu::Error);
  EXPECT_THROW(pair.together(fails, waits), gpu::Error);
}

TEST(NanosecondsEach, RefusesAClockThatStandsStillOrStepsTooFar) {
  using gpu::Nanoseconds;
  EXPECT_DOUBLE_EQ(nanoseconds_each(Nanoseconds(12'030), 100, Nanoseconds(30)), 120) << "without reading the clock";
  EXPECT_THROW(nanoseconds_each(Nanoseconds(0), 100, Nanoseconds(0)), gpu::Error);
  EXPECT_THROW(nanoseconds_each(Nanoseconds(-5), 100, Nanoseconds(1)), gpu::Error);
  EXPECT_DOUBLE_EQ(nanoseconds_each(Nanoseconds(542), 256, Nanoseconds(30)), 2);
  EXPECT_THROW(nanoseconds_each(Nanoseconds(12'000), 100, Nanoseconds(2000)), gpu::TooShort);
  EXPECT_GT(clock_step().count(), 0);
}

TEST(CoreToCore, IsAskedOfTheCpuItselfOnly) {
  EXPECT_TRUE(core_to_core.obstacle({.api = gpu::Api::opencl}));
  EXPECT_TRUE(is_asked_through(core_to_core, gpu::Api::cpu));
  EXPECT_FALSE(is_asked_through(core_to_core, gpu::Api::vulkan));
}

/// The values of the first point of this machine whose series is of a kind, and of its further reading.
std::pair<std::size_t, std::size_t> values_of_first(bool (*is_wanted)(const Point&)) {
  const measure::Request request{.effort = Effort::quick};
  const std::vector<Point> points = core_to_core_points(cpu::machine(), request);
  const auto point = std::ranges::find_if(points, is_wanted);
  const auto device = cpu::open();
  const Workload workload = core_to_core.prepare(*device, *point, request);
  EXPECT_EQ(workload.shape.at("pinned"), 1);
  const Repetitions found = workload.observe(measure::Limits(), [] {});
  return {found.values.size(), found.further.at(0).values.size()};
}

TEST_F(CoreToCorePair, EachKindOfPointHasItsTwoCurves) {
  using Sizes = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(values_of_first([](const Point& point) { return point.series.contains("exchange"); }), Sizes(32, 32));
  // Of five trials those that nobody disturbed, where they are three or more.
  const Sizes trials = values_of_first([](const Point& point) { return point.x.contains("bytes"); });
  EXPECT_EQ(trials.first, trials.second);
  EXPECT_GE(trials.first, 3u);
  EXPECT_LE(trials.first, 5u);
  const auto is_held = [](const Point& point) {
    return point.series.contains("role") && point.series.contains("line");
  };
  EXPECT_EQ(values_of_first(is_held), cpu::can_flush ? Sizes(15, 15) : Sizes(15, 0));
}

// --- conclusions ---

Measurement measured(const std::map<std::string, std::string>& series, int from, int to, std::vector<double> values,
                     const char* unit = "ns") {
  return {.point = {.series = series, .x = {{"from", from}, {"to", to}}},
          .unit = unit,
          .values = std::move(values),
          .state = {}};
}

TEST(CoreToCore, ConcludesOnEachPlacementByItself) {
  const std::map<std::string, std::string> near{
      {"exchange", "compare-and-swap"}, {"line", "modified"}, {"placement", "same-cluster"}};
  std::map<std::string, std::string> far = near;
  far["placement"] = "other-node";
  const std::vector<Measurement> all{measured(near, 0, 1, {90, 100, 110}), measured(near, 1, 0, {100, 102, 200}),
                                     measured(near, 1, 2, {103, 104, 105}), measured(far, 0, 8, {400, 500, 600})};
  const Conclusion conclusion = core_to_core.conclude({}, all);
  ASSERT_EQ(conclusion.findings.size(), 2u);
  const Finding& distant = conclusion.findings[0];
  EXPECT_EQ(distant.series.at("placement"), "other-node");
  EXPECT_EQ(distant.value, 500);
  const Finding& close = conclusion.findings[1];
  EXPECT_EQ(close.name, "exchange-latency");
  EXPECT_EQ(close.value, 102);
  EXPECT_NE(close.evidence.find("from 100 (CPU 0 to CPU 1) to 104 (CPU 1 to CPU 2)"), std::string::npos)
      << close.evidence;
  EXPECT_NE(close.evidence.find("2.00 times"), std::string::npos) << close.evidence;
}

TEST(CoreToCore, TellsRolesAndStatesOfLinesApart) {
  const std::vector<Measurement> all{
      measured({{"line", "modified"}, {"role", "reader"}, {"placement", "same-core"}}, 0, 1, {40, 41, 42}),
      measured({{"role", "writer"}, {"placement", "same-core"}}, 0, 1, {9, 10, 11}, "GB/s"),
      measured({{"role", "reader"}, {"placement", "same-core"}}, 0, 1, {6, 7, 8}, "GB/s")};
  const Conclusion conclusion = core_to_core.conclude({}, all);
  std::map<std::string, double> found;
  for (const Finding& one : conclusion.findings) found[one.name + one.series.at("role")] = *one.value;
  EXPECT_EQ(found, (std::map<std::string, double>{
                       {"held-line-latencyreader", 41}, {"queue-ratewriter", 10}, {"queue-ratereader", 7}}));
}

}  // namespace
}  // namespace sonde::probes
