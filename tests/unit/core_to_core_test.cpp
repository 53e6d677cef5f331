// Two threads that pass lines to and fro, on this machine's own CPUs, and what is concluded of many pairs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cpu/device.hpp"
#include "cpu/instructions.hpp"
#include "device/error.hpp"
#include "measure/stopping.hpp"
#include "probes/catalog.hpp"
#include "probes/core_to_core/at_once.hpp"
#include "probes/core_to_core/bulk_copy.hpp"
#include "probes/core_to_core/exchange.hpp"
#include "probes/core_to_core/held_lines.hpp"
#include "probes/core_to_core/pair.hpp"
#include "probes/core_to_core/plan.hpp"
#include "probes/core_to_core/queue.hpp"
#include "probes/core_to_core/split_lock_plan.hpp"
#include "probes/core_to_core/split_locks.hpp"
#include "probes/core_to_core/split_loss.hpp"
#include "support/made_up_machine.hpp"

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
  const auto fails = [](Patience&) { throw device::Error("a reason"); };
  // Else the waiting thread would say that the system did not run the other.
  EXPECT_THROW(pair.together(waits, fails), device::Error);
  EXPECT_THROW(pair.together(fails, waits), device::Error);
}

TEST(NanosecondsEach, RefusesAClockThatStandsStillOrStepsTooFar) {
  using device::Nanoseconds;
  EXPECT_DOUBLE_EQ(nanoseconds_each(Nanoseconds(12'030), 100, Nanoseconds(30)), 120) << "without reading the clock";
  EXPECT_THROW(nanoseconds_each(Nanoseconds(0), 100, Nanoseconds(0)), device::Error);
  EXPECT_THROW(nanoseconds_each(Nanoseconds(-5), 100, Nanoseconds(1)), device::Error);
  EXPECT_DOUBLE_EQ(nanoseconds_each(Nanoseconds(542), 256, Nanoseconds(30)), 2);
  EXPECT_THROW(nanoseconds_each(Nanoseconds(12'000), 100, Nanoseconds(2000)), device::TooShort);
  EXPECT_GT(clock_step().count(), 0);
}

TEST(CoreToCore, IsAskedOfTheCpuItselfOnly) {
  EXPECT_TRUE(core_to_core.obstacle({.api = device::Api::opencl}));
  EXPECT_TRUE(is_asked_through(core_to_core, device::Api::cpu));
  EXPECT_FALSE(is_asked_through(core_to_core, device::Api::vulkan));
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

TEST_F(CoreToCorePair, PairsAtOnceEachHaveTheirTimes) {
  const cpu::Topology& machine = cpu::machine();
  const std::vector<CpuPair> pairs{{.from = &machine.cores.front(), .to = &machine.cores.back()}};
  bool pinned = false;
  const std::vector<PairTimes> times = exchanges_at_once(pairs, little, 64, 1, pinned);
  EXPECT_TRUE(pinned);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].swapped.size(), 4u);
  EXPECT_EQ(times[0].stored.size(), 4u);
}

TEST_F(CoreToCorePair, ACopyHasARateAtEitherEndAndIsProved) {
  Pair pair(two_cpus()[0], two_cpus()[1]);
  BulkCopy copy(4 << 20);
  int signs = 0;
  const QueueRates rates = copy.trials(pair, 2, [&signs] { ++signs; });
  EXPECT_EQ(rates.writer.size(), 2u);
  EXPECT_EQ(rates.reader.size(), 2u);
  EXPECT_GE(signs, 2);
}

// --- split locks: what is planned and said; to make them is the user's own choice ---

TEST(SplitLocks, AreNeverPlannedUnlessTheyAreAllowed) {
  const auto count = [](bool allowed) {
    const std::vector<Point> points =
        core_to_core_points(cpu::machine(), {.effort = Effort::thorough, .split_locks = allowed});
    return std::ranges::count_if(points, is_of_split_locks);
  };
  EXPECT_EQ(count(false), 0);
  EXPECT_GE(count(true), 2);
}

TEST(SplitLocks, AreMeasuredInEachCacheAndInMemoryBesideTwoCoresThatLock) {
  const cpu::Topology machine =
      cpu::read(test::machine_xml("package:1 l3:1(size=33554432) core:4 l2:1(size=1048576) l1d:1(size=32768) pu:2"));
  const SplitLockCores cores = split_lock_cores(machine);
  ASSERT_EQ(cores.locking.size(), 2u);
  EXPECT_EQ(cores.slowed, &machine.cores.back());
  std::map<double, int> sizes;
  for (const Point& point : split_lock_points(machine, {.split_locks = true})) {
    EXPECT_TRUE(point.x.at("address") == 0 || point.x.at("address") == 60);
    if (point.x.contains("bytes")) ++sizes[point.x.at("bytes")];
  }
  EXPECT_EQ(sizes, (std::map<double, int>{{16 << 10, 4}, {512 << 10, 4}, {16 << 20, 4}, {128 << 20, 4}}));
  const cpu::Topology lonely = cpu::read(test::machine_xml("core:1 pu:1"));
  EXPECT_EQ(split_lock_points(lonely, {.split_locks = true}).size(), 2u);
}

TEST(SplitLocks, WhatTheyDoIsSaidFirst) {
  const std::string slowed = split_lock_notice({.slowed = true});
  EXPECT_NE(slowed.find("every core of this machine"), std::string::npos);
  EXPECT_NE(slowed.find("echo 0 > /proc/sys/kernel/split_lock_mitigate"), std::string::npos);
  EXPECT_NE(split_lock_notice({.slowed = false}).find("processor's own"), std::string::npos);
  EXPECT_NE(split_lock_notice({}).find("does not say"), std::string::npos);
}

TEST(SplitLocks, AreRefusedWhereTheKernelWouldEndTheProgram) {
  EXPECT_TRUE(why_no_split_locks({.ended = true}));
  EXPECT_EQ(why_no_split_locks({}).has_value(), !cpu::has_split_locks);
}

TEST(SplitLocks, ALockedWordWithinALineHoldsTheNumberOfItsOperations) {
  if (!cpu::has_split_locks) GTEST_SKIP() << "x86 alone";
  LockedWord word(0, 64);
  EXPECT_EQ(locked_operations(cpu::machine().cores.back().cpu, word, 3).size(), 3u);
}

/// Slows the whole machine down: SONDE_TEST_SPLIT_LOCKS=1 has it run.
TEST_F(CoreToCorePair, SplitLocksAreMade) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment
  if (std::getenv("SONDE_TEST_SPLIT_LOCKS") == nullptr) GTEST_SKIP() << "only with SONDE_TEST_SPLIT_LOCKS=1";
  if (why_no_split_locks(cpu::split_lock_rule())) GTEST_SKIP() << *why_no_split_locks(cpu::split_lock_rule());
  LockedWord word(60, 64);
  EXPECT_EQ(locked_operations(cpu::machine().cores.back().cpu, word, 1).size(), 1u);
  const Loss loss = loss_while_locked(split_lock_cores(cpu::machine()), word, SlowedWork::load, 16 << 10, {}, 3, [] {});
  EXPECT_EQ(loss.idle.size(), loss.loaded.size());
}

TEST_F(CoreToCorePair, WorkBesideCoresThatLockWithinALineHasItsValuesWithAndWithoutThem) {
  if (!cpu::has_split_locks) GTEST_SKIP() << "x86 alone";
  LockedWord word(0, 64);
  for (const SlowedWork work : {SlowedWork::load, SlowedWork::read}) {
    try {
      const Loss loss = loss_while_locked(split_lock_cores(cpu::machine()), word, work, 16 << 10, {}, 3, [] {});
      EXPECT_EQ(loss.idle.size(), loss.loaded.size());
      EXPECT_GT(std::ranges::min(loss.loaded), 0);
    } catch (const device::TooShort& reason) {
      EXPECT_NE(std::string(reason.what()).find("measure again"), std::string::npos);  // this machine runs much else
    }
  }
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
  const std::map<std::string, std::string> adjacent{
      {"exchange", "compare-and-swap"}, {"line", "modified"}, {"placement", "same-cluster"}};
  std::map<std::string, std::string> remote = adjacent;
  remote["placement"] = "other-node";
  const std::vector<Measurement> all{
      measured(adjacent, 0, 1, {90, 100, 110}), measured(adjacent, 1, 0, {100, 102, 200}),
      measured(adjacent, 1, 2, {103, 104, 105}), measured(remote, 0, 8, {400, 500, 600})};
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

TEST(CoreToCore, SaysWhatPairsAtOnceTookBesideThoseThatWentAlone) {
  const std::map<std::string, std::string> alone{
      {"exchange", "compare-and-swap"}, {"line", "modified"}, {"placement", "other-cluster"}};
  std::map<std::string, std::string> at_once = alone;
  at_once["fabric"] = "loaded";
  const std::vector<Measurement> all{measured(alone, 0, 8, {200, 200}), measured(at_once, 0, 8, {260, 260}),
                                     measured(at_once, 1, 9, {300, 300})};
  const Conclusion conclusion = core_to_core.conclude({}, all);
  ASSERT_EQ(conclusion.findings.size(), 2u);
  const Finding& loaded = conclusion.findings[0];
  EXPECT_EQ(loaded.series.at("fabric"), "loaded");
  EXPECT_DOUBLE_EQ(loaded.details.at("times_alone"), 1.3);
  EXPECT_NE(loaded.evidence.find("in each other's way"), std::string::npos) << loaded.evidence;
  EXPECT_FALSE(conclusion.findings[1].details.contains("times_alone"));
}

TEST(CoreToCore, SaysWhatTheMemoryAtTheOtherSideMakesOfIt) {
  const std::map<std::string, std::string> held{{"line", "modified"}, {"role", "reader"}, {"placement", "other-node"}};
  Measurement elsewhere = measured(held, 0, 8, {310, 310});
  elsewhere.point.x["node"] = 1;
  const std::vector<Measurement> all{measured(held, 0, 8, {250, 250}), elsewhere};
  const Conclusion conclusion = core_to_core.conclude({}, all);
  ASSERT_EQ(conclusion.findings.size(), 1u);
  EXPECT_EQ(conclusion.findings[0].value, 250);
  EXPECT_EQ(conclusion.findings[0].details.at("memory_at_other_side"), 310);
}

Measurement locked(const std::map<std::string, std::string>& series, double address, double bytes, double value,
                   const char* unit) {
  Measurement one = measured(series, 1, 2, {value, value, value}, unit);
  one.point.x["address"] = address;
  one.point.x["cpu_threads"] = 2;
  if (bytes > 0) one.point.x["bytes"] = bytes;
  return one;
}

TEST(CoreToCore, SaysWhatASplitLockTakesAndWhatItTakesFromOthers) {
  const std::map<std::string, std::string> swap{{"exchange", "compare-and-swap"}, {"sharing", "private"}};
  const std::map<std::string, std::string> loads{{"fabric", "loaded"}, {"role", "reader"}};
  const std::map<std::string, std::string> loads_alone{{"fabric", "idle"}, {"role", "reader"}};
  const std::map<std::string, std::string> reads{{"fabric", "loaded"}, {"pattern", "read"}};
  const std::map<std::string, std::string> reads_alone{{"fabric", "idle"}, {"pattern", "read"}};
  const std::vector<Measurement> all{locked(swap, 0, 0, 10, "ns"),
                                     locked(swap, 60, 0, 800, "ns"),
                                     locked(loads, 0, 4096, 2, "ns"),
                                     locked(loads, 60, 4096, 50, "ns"),
                                     locked(loads_alone, 0, 4096, 2, "ns"),
                                     locked(loads_alone, 60, 4096, 2, "ns"),
                                     locked(reads, 0, 4096, 40, "GB/s"),
                                     locked(reads, 60, 4096, 4, "GB/s"),
                                     locked(reads_alone, 0, 4096, 40, "GB/s"),
                                     locked(reads_alone, 60, 4096, 40, "GB/s")};
  std::map<std::string, std::vector<double>> found;
  for (const Finding& one : core_to_core.conclude({}, all).findings) found[one.name].push_back(*one.value);
  EXPECT_EQ(found.at("split-lock-latency"), std::vector<double>{800});
  EXPECT_EQ(found.at("split-lock-loss"), (std::vector<double>{10, 25}));
  EXPECT_EQ(found.size(), 2u);
}

}  // namespace
}  // namespace sonde::probes
