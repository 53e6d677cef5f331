// The CPU's own side: what hwloc says of it, its memory, its threads, its walks.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "cpu/device.hpp"
#include "cpu/instructions.hpp"
#include "cpu/movers.hpp"
#include "cpu/pinned.hpp"
#include "cpu/region.hpp"
#include "cpu/topology.hpp"
#include "os/linux_files.hpp"
#include "os/machine.hpp"
#include "os/threads.hpp"
#include "probes/catalog.hpp"
#include "probes/cpu_latency/cpu_latency.hpp"
#include "support/answered_plan.hpp"
#include "support/made_up_machine.hpp"
#include "workloads/cpu/cpu_walk.hpp"

namespace sonde::cpu {
namespace {

using namespace std::chrono_literals;

using test::machine_xml;

TEST(Topology, OfTwoNodesHasACoreForEveryTwoThreads) {
  const Topology machine = read(machine_xml("package:2 l3:1(size=33554432) core:4 pu:2", {}));
  ASSERT_EQ(machine.cores.size(), 8u);
  EXPECT_EQ(machine.kinds, std::vector<std::string>{"performance"});
  EXPECT_EQ(machine.furthest_cache_bytes, 32u << 20);
  EXPECT_EQ(machine.caches, (std::map<int, std::uint64_t>{{3, 32u << 20}}));
  EXPECT_EQ(furthest_caches_bytes(machine) % (32u << 20), 0u);
  for (std::size_t core = 0; core < machine.cores.size(); ++core) {
    EXPECT_EQ(machine.cores[core].cpu, static_cast<int>(2 * core));
    EXPECT_EQ(machine.cores[core].cluster, core < 4 ? 0 : 1);
    EXPECT_EQ(machine.cores[core].kind, 0);
    EXPECT_EQ(machine.cores[core].siblings, std::vector<int>{static_cast<int>(2 * core + 1)});
  }
}

TEST(Topology, HasTheNodesWithMemoryInTheSystemsOrder) {
  EXPECT_EQ(read(machine_xml("package:2 group:2 [numa] core:2 pu:1")).nodes, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(read(machine_xml("core:2 pu:1")).nodes, std::vector<int>{0});
  const Topology flat = read(machine_xml("package:1 [numa] [numa] core:2 pu:1"));
  EXPECT_EQ(flat.nodes, (std::vector<int>{0, 1}));
  EXPECT_EQ(cores_of_node(flat, 0).size(), 2u);
  EXPECT_TRUE(cores_of_node(flat, 1).empty());
}

TEST(Topology, SaysWhyTwoThreadsCannotWorkAtOnce) {
  Topology machine = read(machine_xml("package:1 core:2 pu:1"));
  EXPECT_EQ(why_not_at_once(machine), "");
  machine.quota = 2;
  EXPECT_EQ(why_not_at_once(machine), "");
  machine.quota = 1.5;
  EXPECT_NE(why_not_at_once(machine).find("1.5 CPUs' worth of time"), std::string::npos);
  const Topology one_core = read(machine_xml("package:1 core:1 pu:2"));
  EXPECT_NE(why_not_at_once(one_core).find("one core only"), std::string::npos);
  EXPECT_EQ(why_not_at_once(one_core, true), "");
  EXPECT_NE(why_not_at_once(read(machine_xml("package:1 core:1 pu:1")), true).find("one CPU only"), std::string::npos);
}

TEST(Topology, TellsFastCoresFromSlowOnes) {
  const Topology machine = read(machine_xml("core:6 pu:1", {{2, 3, 4, 5}, {0, 1}}));
  EXPECT_EQ(machine.kinds, (std::vector<std::string>{"performance", "efficiency"}));
  EXPECT_EQ(machine.cores[1].kind, 0);
  EXPECT_EQ(machine.cores[2].kind, 1);
  EXPECT_EQ(quiet_core(machine, 0).cpu, 1);
  EXPECT_EQ(quiet_core(machine, 1).cpu, 5);
}

TEST(Topology, KindsWithoutARankCountAsOne) {
  const Topology machine = read(machine_xml("core:4 pu:1", {{0, 1}, {2, 3}}, false));
  EXPECT_EQ(machine.kinds.size(), 1u);
  EXPECT_TRUE(std::ranges::all_of(machine.cores, [](const Core& core) { return core.kind == 0; }));
}

TEST(Topology, CoresOfTheSameClusterComeFirstBeside) {
  const Topology machine = read(machine_xml("l3:2(size=8MB) core:2 pu:1", {}));
  const std::vector<Core> others = other_cores(machine, machine.cores[3]);
  ASSERT_EQ(others.size(), 3u);
  EXPECT_EQ(others[0].cpu, 2);
  EXPECT_EQ(others[0].cluster, machine.cores[3].cluster);
}

TEST(Topology, NonsenseIsUnsupported) { EXPECT_THROW(read("<not a machine>"), device::Unsupported); }

TEST(Topology, OfThisMachineKeepsToTheMaskOfTheThreadThatLooks) {
  const Topology all = detect_topology();
  // Another, as a driver has some, with the mask of before.
  const std::jthread other([](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  const Pinned pinned(all.cores.front().cpu);
  ASSERT_TRUE(pinned.holds());
  const Topology one = detect_topology();
  ASSERT_EQ(one.cores.size(), 1u);
  EXPECT_EQ(one.cores.front().cpu, all.cores.front().cpu);
}

TEST(HugeBytes, CountsOnlyTheMappingsOfTheRange) {
  constexpr const char* smaps =
      "1000-3000 rw-p 00000000 00:00 0\nSize: 8 kB\nAnonHugePages:      2048 kB\nVmFlags: rd\n"
      "3000-9000 rw-p 00000000 00:00 0\nAnonHugePages:      4096 kB\n"
      "9000-a000 rw-p 00000000 00:00 0\nAnonHugePages:      6144 kB\n";
  EXPECT_EQ(os::huge_bytes_in(smaps, 0x3000, 0x9000), 4096u << 10);
  EXPECT_EQ(os::huge_bytes_in(smaps, 0x2000, 0x9001), (2048u + 4096 + 6144) << 10);
  EXPECT_EQ(os::huge_bytes_in("", 0, 1), 0u);
}

TEST(Region, StandsOnThePagesThatWereAskedFor) {
  const Region small(4 << 20, PageKind::small);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(small.data()) % 4096, 0u);
  if (!has_huge_pages()) GTEST_SKIP() << "this system gives no huge pages";
  const Region huge(4 << 20, PageKind::huge);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(huge.data()) % (2 << 20), 0u);
}

TEST(Region, StandsOnTheNodeThatWasAskedForByTheKernelsOwnWord) {
  const int node = machine().nodes.front();
  std::optional<Region> bound;
  try {
    bound.emplace(4 << 20, PageKind::small, node);
  } catch (const device::Unsupported& reason) {
    GTEST_SKIP() << reason.what();  // a container may forbid it
  }
  EXPECT_EQ(nodes_of(bound->data(), bound->size_bytes()), std::set<int>{node});
}

TEST(Region, ANodeThatIsNotThereIsUnsupported) {
  EXPECT_THROW(Region(1 << 20, PageKind::small, 1 + machine().nodes.back()), device::Unsupported);
}

TEST(Quota, IsReadFromEitherVersionOfControlGroups) {
  EXPECT_EQ(os::quota_in("max 100000\n"), std::nullopt);
  EXPECT_EQ(os::quota_in("-1\n 100000\n"), std::nullopt);
  EXPECT_EQ(os::quota_in(""), std::nullopt);
  EXPECT_DOUBLE_EQ(*os::quota_in("150000 100000\n"), 1.5);
}

TEST(SplitLockRule, IsReadFromTheKernelsOwnWords) {
  EXPECT_EQ(split_lock_rule("", "quiet").slowed, std::nullopt);
  EXPECT_EQ(split_lock_rule("1\n", "quiet").slowed, true);
  EXPECT_EQ(split_lock_rule("0\n", "quiet").slowed, false);
  EXPECT_EQ(split_lock_rule("1\n", "quiet split_lock_detect=off").slowed, false);
  EXPECT_FALSE(split_lock_rule("1\n", "quiet").ended);
  EXPECT_TRUE(split_lock_rule("1\n", "split_lock_detect=fatal quiet").ended);
}

TEST(Region, AnImpossibleSizeIsUnsupported) { EXPECT_THROW(Region(1ull << 50, PageKind::small), device::Unsupported); }

TEST(Pinned, HoldsAndLetsGo) {
  const os::Cpus before = os::allowed_cpus();
  ASSERT_FALSE(before.empty());
  {
    const Pinned pinned(detect_topology().cores.back().cpu);
    EXPECT_TRUE(pinned.holds());
    EXPECT_EQ(os::allowed_cpus().size(), 1u);
  }
  EXPECT_EQ(os::allowed_cpus(), before);
  constexpr int no_cpu = 1023;
  EXPECT_FALSE(Pinned(no_cpu).holds());
}

TEST(Pinned, AThreadThatIsKeptOffNeverLosesItsLastCpu) {
  const Pinned pinned(detect_topology().cores.back().cpu);
  keep_off(os::this_thread(), detect_topology().cores.back().cpu);
  EXPECT_EQ(os::allowed_cpus().size(), 1u);
}

TEST(Streamer, MovesMemoryWhateverItsTrafficAndPace) {
  for (const StreamDirection traffic : {StreamDirection::read, StreamDirection::write, StreamDirection::both}) {
    for (const Pace pace : {Pace::light, Pace::full}) {
      const Streamer streamer(detect_topology().cores.back().cpu, 1 << 20, traffic, pace);
      const auto begin = std::chrono::steady_clock::now();
      while (streamer.bytes_moved() < (4u << 20) && std::chrono::steady_clock::now() - begin < 60s)
        std::this_thread::sleep_for(1ms);
      EXPECT_GE(streamer.bytes_moved(), 4u << 20);
    }
  }
}

TEST(Companion, ItsWindowsFollowEachOtherAndBeginBeforeWhatIsWatched) {
  const workloads::PointerCycle cycle(1024, 64, PageKind::small, 1);
  const std::byte* at = cycle.start();
  const auto companion = chase_on(detect_topology().cores.back().cpu, at);
  device::Nanoseconds begun{0};
  const auto windows = companion->chase_during([&] {
    begun = std::chrono::steady_clock::now().time_since_epoch();
    std::this_thread::sleep_for(100ms);
  });
  ASSERT_GT(windows.size(), 1u);
  for (std::size_t i = 0; i + 1 < windows.size(); ++i) {
    EXPECT_LT(windows[i].begin, windows[i].end);
    EXPECT_LE(windows[i].end, windows[i + 1].begin);
    EXPECT_GT(windows[i].clock_mhz, 0);
  }
  EXPECT_FALSE(companion->chase_for(1ms).empty());
}

TEST(Companion, GoesOnWhereTheOneBeforeHasStopped) {
  // Two nodes of a way that is walked once, and its end: a walk from there cannot get back to what comes before.
  std::array<const std::byte*, 2> way{};
  const auto* begin = reinterpret_cast<const std::byte*>(&way[0]);
  const auto* end = reinterpret_cast<const std::byte*>(&way[1]);
  way = {end, end};
  const std::byte* at = begin;
  EXPECT_FALSE(chase_on(detect_topology().cores.back().cpu, at)->chase_for(1ms).empty());
  EXPECT_EQ(at, end);
  // The way begins at its end now: only who starts there stays on this side.
  way = {begin, end};
  EXPECT_FALSE(chase_on(detect_topology().cores.back().cpu, at)->chase_for(1ms).empty());
  EXPECT_EQ(at, end);
}

TEST(CpuDevice, RunsTheArithmeticThatSettlesAClockAndNothingElse) {
  const auto device = open();
  EXPECT_EQ(device->info().api, device::Api::cpu);
  EXPECT_EQ(device->info().type, device::DeviceType::cpu);
  EXPECT_THROW((void)device->make_kernel({.name = "chase"}, 1), device::Unsupported);
  const auto buffer = device->make_buffer(64);
  EXPECT_THROW(buffer->write(60, std::vector<std::byte>(5)), device::Error);
}

// --- walks ---

workloads::CpuPlace place() { return {.core = quiet_core(detect_topology(), 0)}; }

TEST(CpuWalk, ACycleIsWalkedWholeAndEndsWhereItMust) {
  const workloads::PointerCycle cycle(100, 64, PageKind::small, 3);
  const std::byte* at = cycle.start();
  std::set<const std::byte*> seen;
  for (std::uint32_t hop = 0; hop < 100; ++hop) {
    EXPECT_TRUE(cycle.is_at(hop, at));
    EXPECT_FALSE(cycle.is_at(hop, at + 8));
    seen.insert(at);
    at = *reinterpret_cast<const std::byte* const*>(at);
  }
  EXPECT_EQ(seen.size(), 100u);
  EXPECT_EQ(at, cycle.start());
  EXPECT_FALSE(cycle.is_at(0, nullptr));
}

TEST(CpuWalk, BothWalksProveEveryRun) {
  for (const auto& workload :
       {workloads::cpu_cycle_chase(place(), 1000, 64, 1), workloads::cpu_independent_chase(place(), 1000, 64, 1)}) {
    const auto& work = std::get<measure::SteppedWork>(workload.work);
    for (const std::uint64_t hops : {64u, 6400u, 128u}) {
      EXPECT_GT(work.run(hops).count(), 0);
      EXPECT_EQ(work.proof_failure(), std::nullopt);
    }
    EXPECT_FALSE(workload.one_core);
    EXPECT_EQ(workload.shape.at("pinned"), 1);
  }
}

}  // namespace
}  // namespace sonde::cpu

namespace sonde::probes {
namespace {

using measure::Look;
using measure::Measurement;
using measure::Point;

device::DeviceInfo cpu_info() {
  device::DeviceInfo info;
  info.api = device::Api::cpu;
  info.type = device::DeviceType::cpu;
  return info;
}

/// The latency on a machine with a cache of 1 MiB that holds lines as long as it can, and no translation.
double nanoseconds_at(const Point& point) {
  constexpr double cache_bytes = 1 << 20;
  const double beyond = 1 - cache_bytes / std::max(cache_bytes, *point.x.bytes);
  if (!point.words.order) return beyond > 0 ? 100 : 5;
  return point.words.order == measure::Order::independent ? 5 + 95 * beyond : 5;
}

/// Everything that is asked for on it, until nothing more is.
std::vector<Measurement> asked(const CpuVariants& variants, const measure::Request& request) {
  std::vector<Measurement> known;
  for (int round = 0; round < 100; ++round) {
    const std::vector<Point> points = cpu_latency_points(variants, cpu_info(), request, known);
    if (points.empty()) return known;
    for (const Point& point : points) {
      known.push_back(
          {.point = point, .unit = "ns", .values = std::vector<double>(7, nanoseconds_at(point)), .state = {}});
    }
  }
  ADD_FAILURE() << "it asks for ever";
  return known;
}

using measure::CoreKind;
using measure::MemoryState;
using measure::Order;
using measure::PageSize;
using measure::Words;

std::map<Words, int> count_by_words(const std::vector<Measurement>& known) {
  std::map<Words, int> counts;
  for (const Measurement& one : known) ++counts[one.point.words];
  return counts;
}

TEST(CpuLatencyPlan, WalksBothPagesAsleepAndAwake) {
  const auto counts = count_by_words(asked({.kinds = {CoreKind::performance}}, {.look = Look::closer}));
  for (const PageSize pages : {PageSize::small, PageSize::huge}) {
    EXPECT_GT(counts.at({.pages = pages, .state = MemoryState::asleep}), 20) << word_of(pages);
    EXPECT_GE(counts.at({.pages = pages, .state = MemoryState::awake}), 2) << word_of(pages);
    EXPECT_GT(counts.at({.order = Order::independent, .pages = pages, .state = MemoryState::asleep}), 0)
        << word_of(pages);
  }
}

TEST(CpuLatencyPlan, AtQuickHitsTellTheSizesToo) {
  const auto counts = count_by_words(asked({.kinds = {CoreKind::performance}}, {.look = Look::first}));
  const Words small{.pages = PageSize::small, .state = MemoryState::asleep};
  EXPECT_GT(counts.at(with(small, {.order = Order::independent})), 0);
  EXPECT_GT(counts.at(with(small, {.order = Order::page})), 0);
  EXPECT_FALSE(counts.contains(with(small, {.order = Order::independent, .pages = PageSize::huge})));
}

TEST(CpuLatencyPlan, NoSizeIsAskedForThatTheUserLeftOut) {
  constexpr std::uint64_t bytes = 256 << 20;
  const measure::Request request{.look = Look::closer, .smallest_bytes = bytes, .largest_bytes = bytes};
  const std::vector<Measurement> known = asked({.kinds = {CoreKind::performance}}, request);
  EXPECT_EQ(known.size(), 4u);
  for (const Measurement& one : known) EXPECT_EQ(one.point.x.bytes, bytes);
}

TEST(CpuLatencyPlan, EachKindOfCoreHasCurvesOfItsOwn) {
  const auto counts =
      count_by_words(asked({.kinds = {CoreKind::performance, CoreKind::efficiency}}, {.look = Look::first}));
  for (const CoreKind kind : {CoreKind::performance, CoreKind::efficiency}) {
    EXPECT_GT(counts.at({.core = kind, .pages = PageSize::small, .state = MemoryState::asleep}), 20) << word_of(kind);
  }
}

/// What is asked of a machine at all looks, one after the other.
std::vector<std::size_t> go_through_looks(test::AnsweredPlan& plan) {
  return {plan.go_through(Look::first), plan.go_through(Look::closer), plan.go_through(Look::closest)};
}

TEST(CpuLatencyPlan, WhatCannotBeHadIsAskedForOnceSoThatTheRecordSaysWhy) {
  const CpuVariants variants{.kinds = {CoreKind::performance}, .huge_pages = false, .further_core = false};
  test::AnsweredPlan plan(
      {}, [&](const auto& request, auto known) { return cpu_latency_points(variants, cpu_info(), request, known); },
      [](const Point& point) {
        const bool can_be_had = point.words.pages == PageSize::small && point.words.state == MemoryState::asleep;
        return can_be_had ? std::optional(nanoseconds_at(point)) : std::nullopt;
      });
  go_through_looks(plan);
  std::map<Words, int> counts;
  for (const measure::PointKey& key : plan.asked()) ++counts[key.words];
  EXPECT_EQ(counts.at({.pages = PageSize::huge, .state = MemoryState::asleep}), 1);
  EXPECT_EQ(counts.at({.pages = PageSize::small, .state = MemoryState::awake}), 1);
  EXPECT_FALSE(counts.contains({.pages = PageSize::huge, .state = MemoryState::awake}));
}

TEST(CpuLatencyPlan, EveryLookAddsToTheOneBeforeAndEndsWhateverFails) {
  const CpuVariants variants{.kinds = {CoreKind::performance, CoreKind::efficiency}};
  for (const bool may_fail : {false, true}) {
    test::AnsweredPlan plan(
        {}, [&](const auto& request, auto known) { return cpu_latency_points(variants, cpu_info(), request, known); },
        [&](const Point& point) {
          const bool fails = may_fail && static_cast<int>(std::log2(*point.x.bytes) * 16) % 5 == 0;
          return fails ? std::nullopt : std::optional(nanoseconds_at(point));
        });
    for (const std::size_t added : go_through_looks(plan)) EXPECT_GT(added, 10u);
    EXPECT_EQ(plan.go_through(Look::first), 0u);
    for (std::size_t count = 0; count < plan.known().size(); count += 5)
      (void)cpu_latency.conclude({}, std::span(plan.known()).first(count));
  }
}

TEST(CpuLatencyPlan, TheFirstLookIsOverSoonAndCoversAllSizes) {
  double seconds = 0;
  std::set<double> sizes;
  for (const Point& point :
       cpu_latency_points({.kinds = {CoreKind::performance}}, cpu_info(), {.look = Look::first}, {})) {
    seconds += point.expected_seconds;
    sizes.insert(*point.x.bytes);
  }
  EXPECT_LT(seconds, 2.5);
  EXPECT_EQ(*sizes.begin(), 1024);
  EXPECT_EQ(*sizes.rbegin(), 64 << 20);
}

TEST(CpuLatency, FindsTheLevelsOfEachPages) {
  const measure::Request request{.look = Look::first};
  const measure::Conclusion conclusion =
      cpu_latency.conclude(request, asked({.kinds = {CoreKind::performance}}, request));
  int checked = 0;
  for (const measure::FoundLevel& level : conclusion.levels) {
    EXPECT_EQ(level.words.state, MemoryState::asleep);
    if (level.level != 1 || level.words.pages != PageSize::small) continue;
    ASSERT_TRUE(level.found.bytes);
    EXPECT_NEAR(level.found.bytes->value, 1 << 20, 0.1 * (1 << 20));
    ++checked;
  }
  EXPECT_EQ(checked, 1);
}

TEST(CpuLatency, IsAskedOfTheCpuItselfOnly) {
  EXPECT_EQ(cpu_latency.obstacle(cpu_info()), std::nullopt);
  EXPECT_TRUE(cpu_latency.obstacle(device::DeviceInfo{}));
  EXPECT_TRUE(is_asked_through(cpu_latency, device::Api::cpu));
  EXPECT_FALSE(is_asked_through(cpu_latency, device::Api::opencl));
  EXPECT_FALSE(is_asked_through(latency, device::Api::cpu));
  EXPECT_TRUE(is_asked_through(latency, device::Api::model));
}

}  // namespace
}  // namespace sonde::probes
