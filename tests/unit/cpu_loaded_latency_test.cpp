// Latency of the CPU under its own load: what a load proves and tells of itself, the plan, and what is concluded.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cpu/device.hpp"
#include "cpu/pinned.hpp"
#include "cpu/stream_kernels.hpp"
#include "cpu/topology.hpp"
#include "measure/repetitions.hpp"
#include "probes/catalog.hpp"
#include "probes/cpu_loaded_latency/cpu_loaded_latency.hpp"
#include "probes/cpu_loaded_latency/loading_team.hpp"
#include "support/made_up_machine.hpp"

namespace sonde::probes {
namespace {

using cpu::StoreKind;
using cpu::Stream;
using measure::Pattern;
using measure::Placement;

constexpr double mib = 1 << 20;

const std::vector<LoadWork> works{{.stream = Stream::read},
                                  {.stream = Stream::read_modify_write},
                                  {.stream = Stream::write, .stores = StoreKind::ordinary}};

/// Runs a load of every core until all have moved something, and a while longer.
void run_for_a_while(LoadingTeam& load) {
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const device::Nanoseconds begin = cpu::steady_now();
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    load.look();
  } while (load.bytes_between(begin, cpu::steady_now()) < 4 * mib && std::chrono::steady_clock::now() < latest);
}

std::vector<const cpu::Core*> all_cores() {
  std::vector<const cpu::Core*> cores;
  for (const cpu::Core& core : cpu::machine().cores) cores.push_back(&core);
  cores.resize(std::min<std::size_t>(cores.size(), 4));
  return cores;
}

TEST(LoadingTeam, ProvesItsWorkAndTellsWhatItMoved) {
  const auto cores = all_cores();
  for (LoadWork work : works) {
    for (const std::uint64_t delay : {0, 50}) {
      work.thread_bytes = 1 << 20;
      work.delay = delay;
      std::byte* const memory = memory_for_loads(cores.size() << 20, cores.front()->cpu);
      LoadingTeam load(cores, work, memory);
      const device::Nanoseconds begin = cpu::steady_now();
      run_for_a_while(load);
      load.end();
      load.look();
      EXPECT_EQ(load.proof_failure(), std::nullopt) << static_cast<int>(work.stream) << " " << delay;
      const device::Nanoseconds end = cpu::steady_now();
      const double moved = load.bytes_between(begin, end);
      EXPECT_GE(moved, 4 * mib);
      const device::Nanoseconds middle = begin + (end - begin) / 2;
      EXPECT_NEAR(load.bytes_between(begin, middle) + load.bytes_between(middle, end), moved, 1);
      EXPECT_EQ(load.bytes_between(end, end + device::Nanoseconds(1e6)), 0);
    }
  }
}

TEST(LoadingTeam, AWordThatChangedIsFound) {
  const std::vector<const cpu::Core*> one{&cpu::machine().cores.front()};
  for (LoadWork work : works) {
    work.thread_bytes = 128 << 10;
    std::byte* const memory = memory_for_loads(work.thread_bytes, one.front()->cpu);
    LoadingTeam load(one, work, memory);
    if (work.stream == Stream::write) continue;  // what is written next hides it
    // One in every page: whichever is looked at.
    auto* const words = reinterpret_cast<double*>(memory);
    for (std::size_t index = 0; index < work.thread_bytes / sizeof(double); ++index) words[index] = 1e9;
    run_for_a_while(load);
    load.end();
    EXPECT_TRUE(load.proof_failure()) << static_cast<int>(work.stream);
  }
}

TEST(LoadingTeam, BeforeAnythingIsKnownItCountsAsAbsent) {
  const std::vector<const cpu::Core*> one{&cpu::machine().cores.front()};
  LoadingTeam load(one, {.thread_bytes = 64 << 10}, memory_for_loads(64 << 10, one.front()->cpu));
  load.look();
  const device::Nanoseconds later = cpu::steady_now() + device::Nanoseconds(1e12);
  EXPECT_EQ(load.absent_between(later, later + device::Nanoseconds(1e6)), 1);
}

TEST(LoadingTeam, OfMoreMemoryThanThereIsIsUnsupported) {
  EXPECT_THROW(memory_for_loads(1ull << 45, 0), device::Unsupported);
}

// --- the plan ---

cpu::Topology zen() {
  return cpu::read(test::machine_xml("package:2 [numa] l3:4(size=33554432) l2:8(size=1048576) core:1 pu:2"));
}

TEST(CpuLoadPlan, LoadsOfEachPlacementComeFromWhereTheirWordSays) {
  const cpu::Topology machine = zen();
  const cpu::Core& walking = quiet_core(machine, 0);
  EXPECT_EQ(loading_cores(machine, Placement::same_cluster).size(), 7u);
  EXPECT_EQ(loading_cores(machine, Placement::other_cluster).size(), 24u);
  EXPECT_EQ(loading_cores(machine, Placement::other_node).size(), 32u);
  // In turn from each cluster.
  std::map<int, int> first_three;
  for (int index = 0; index < 3; ++index)
    ++first_three[loading_cores(machine, Placement::other_cluster)[static_cast<std::size_t>(index)]->cluster];
  EXPECT_EQ(first_three.size(), 3u);
  for (const cpu::Core* core : loading_cores(machine, Placement::same_cluster)) {
    EXPECT_EQ(core->cluster, walking.cluster);
    EXPECT_NE(core->cpu, walking.cpu);
  }
  for (const Placement placement : loading_placements) EXPECT_EQ(why_no_load(machine, placement), "");
}

TEST(CpuLoadPlan, OneCoreOfOneClusterSaysWhyThereIsNoOtherLoad) {
  const cpu::Topology alone = cpu::read(test::machine_xml("l3:1(size=8388608) core:1 pu:1"));
  EXPECT_TRUE(loading_cores(alone, Placement::same_cluster).empty());
  const cpu::Topology two = cpu::read(test::machine_xml("l3:1(size=8388608) core:2 pu:1"));
  const Conclusion conclusion = cpu_load_conclusion(two, {}, {});
  ASSERT_EQ(conclusion.without_levels.size(), 2u);
  EXPECT_EQ(conclusion.without_levels[0].words.placement, Placement::other_cluster);
  EXPECT_NE(conclusion.without_levels[1].reason.find("one NUMA node"), std::string::npos);
}

TEST(CpuLoadPlan, WalkAndLoadTogetherFitTheCacheThatTheyShare) {
  for (const char* const synthetic :
       {"package:2 [numa] l3:4(size=33554432) l2:8(size=1048576) core:1 pu:2",
        "l3:1(size=110100480) l2:56(size=2097152) core:1 pu:1", "l3:1(size=8388608) l2:2(size=524288) core:1 pu:1",
        "l3:1(size=503316480) l2:2(size=2097152) core:1 pu:1"}) {
    const cpu::Topology machine = cpu::read(test::machine_xml(synthetic));
    const auto own = static_cast<double>(machine.caches.at(2));
    const auto shared = static_cast<double>(machine.furthest_cache_bytes);
    const std::vector<WalkedSet> sets = walked_sets(machine, {});
    ASSERT_EQ(sets.size(), 3u) << synthetic;
    EXPECT_EQ(sets[0].bytes, own / 2);
    EXPECT_EQ(sets[1].within, Within::shared_cache);
    EXPECT_GE(sets[1].bytes, 2 * own * 0.9);
    EXPECT_GE(sets[1].thread_bytes, 2 * own * 0.9);
    EXPECT_LE(sets[1].bytes + sets[1].most_threads * sets[1].thread_bytes, 0.76 * shared);
    EXPECT_GE(sets[2].bytes, 2 * shared);
    // In memory the load of each cluster is beyond its cache too.
    for (const int threads : {1, 3, 7}) {
      EXPECT_GE(threads * load_bytes_of(machine, sets[2], Placement::same_cluster, threads), 4 * shared);
    }
  }
}

TEST(CpuLoadPlan, OfAMachineWithoutStatedCachesThereIsMemory) {
  const cpu::Topology machine = cpu::read(test::machine_xml("core:4 pu:1"));
  const std::vector<WalkedSet> sets = walked_sets(machine, {.look = Look::first});
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets[0].within, Within::memory);
  EXPECT_EQ(sets[0].bytes, 64 * mib);
}

TEST(CpuLoadPlan, KeepsToTheSizesThatTheUserAskedFor) {
  for (const Point& point : cpu_load_points(zen(), {.smallest_bytes = 1 << 20, .largest_bytes = 16 << 20}, {})) {
    EXPECT_GE(point.x.bytes, mib);
    EXPECT_LE(point.x.bytes, 16 * mib);
  }
}

TEST(CpuLoadPlan, EveryPointIsOfTheCurveThatItsWordsName) {
  for (const Point& point : cpu_load_points(zen(), {.look = Look::closest}, {})) {
    EXPECT_EQ(point.curve, &cpu_loaded_latency_probe::walk);
    EXPECT_EQ(measure::find_curve(cpu_loaded_latency.curves, point.words, "ns"), point.curve);
    EXPECT_EQ(point.x.delay.has_value(), point.x.cpu_threads > 0.0);
  }
}

/// Memory that gives 40 GB/s to any number of cores, 10 to each, and takes longer the more of it is used.
std::vector<Measurement> measured(const Point& point) {
  Measurement latency{.point = point, .unit = "ns", .values = {}};
  const double each = 1024 / (1024 / 10.0 + point.x.delay.value_or(0) * 0.4);
  const double gbps = std::min(40.0, point.x.cpu_threads.value() * each);
  latency.values.assign(10, 100 * (1 + gbps / 40));
  if (point.x.cpu_threads == 0.0) return {latency};
  Measurement moved{.point = point, .unit = "GB/s", .values = {gbps, gbps, gbps}};
  return {latency, moved};
}

TEST(CpuLoadPlan, PointsAreSpreadOverTheBandwidthThatWasReached) {
  const cpu::Topology machine = zen();
  const Request request{.look = Look::closer};
  std::vector<Measurement> known;
  for (int round = 0; round < 40; ++round) {
    std::size_t added = 0;
    for (const Point& point : cpu_load_points(machine, request, known)) {
      const auto key = measure::key_of(point);
      if (std::ranges::any_of(known, [&](const Measurement& one) { return measure::key_of(one.point) == key; }))
        continue;
      for (const Measurement& one : measured(point)) known.push_back(one);
      ++added;
    }
    if (added == 0) break;
  }
  for (const CpuLoadCurve& curve : cpu_load_curves(known)) {
    if (curve.words.pattern != Pattern::read || curve.bytes < 64 * mib) continue;
    EXPECT_EQ(curve.all_threads.size(), 8u);
    EXPECT_NE(curve.alone, nullptr);
    std::vector<double> gbps{0};
    for (const CpuLoadPoint& point : curve.all_threads) gbps.push_back(point.gbps);
    std::ranges::sort(gbps);
    for (std::size_t i = 1; i < gbps.size(); ++i) EXPECT_LT(gbps[i] - gbps[i - 1], 0.35 * gbps.back());
    // One core, and each doubling.
    EXPECT_EQ(curve.undelayed.front().threads, 1);
    EXPECT_GE(curve.undelayed.size(), 4u);
  }
}

TEST(CpuLoadFindings, AreTheLatencyAloneUnderFullLoadAndBesideOneCore) {
  const cpu::Topology machine = zen();
  const Request request{.look = Look::first};
  std::vector<Measurement> known;
  for (const Point& point : cpu_load_points(machine, request, {})) {
    for (const Measurement& one : measured(point)) known.push_back(one);
  }
  const Conclusion conclusion = cpu_load_conclusion(machine, request, known);
  EXPECT_TRUE(conclusion.without_levels.empty());
  std::map<const FindingKind*, int> kinds;
  for (const Finding& finding : conclusion.findings) {
    ++kinds[finding.kind];
    if (finding.words.pattern != Pattern::read || finding.words.placement != Placement::same_cluster) continue;
    if (finding.kind == &workloads::full_load_latency) {
      EXPECT_EQ(finding.value, 200);
    }
    if (finding.kind == &cpu_loaded_latency_probe::one_core_load_latency) {
      EXPECT_EQ(finding.value, 125);
      EXPECT_EQ(finding.details.at("load_gbps"), 10);
      EXPECT_NE(finding.evidence.find("while one core of the same cluster reads 10 GB/s, 1.25 times as long as alone"),
                std::string::npos)
          << finding.evidence;
    }
  }
  EXPECT_EQ(kinds[&workloads::idle_latency], kinds[&workloads::full_load_latency]);
  EXPECT_EQ(kinds[&cpu_loaded_latency_probe::one_core_load_latency], 3);  // of reads, from each placement
}

// --- this machine ---

TEST(CpuLoadedLatency, EveryWorkloadOfThisMachineProvesItsWork) {
  if (cpu::machine().cores.size() < 2) GTEST_SKIP() << "one core only";
  const auto device = cpu::open();
  EXPECT_EQ(cpu_loaded_latency.obstacle(device->info()), std::nullopt);
  const Request request{.look = Look::first, .largest_bytes = 4 << 20};
  int points = 0;
  for (const Point& point : cpu_loaded_latency.next(device->info(), request, {})) {
    const Workload workload = point.curve->prepare(*device, point, request);
    ++points;
    try {
      const Repetitions found = std::get<SelfTimedWork>(workload.work).repeat({}, [] {});
      EXPECT_GE(found.values.size(), 3u);
      EXPECT_GT(std::ranges::min(found.values), 0.1);
      if (point.x.cpu_threads > 0.0) {
        EXPECT_EQ(found.extra.back().curve, &cpu_loaded_latency_probe::load);
        EXPECT_GT(std::ranges::min(found.extra.back().values), 0);
      }
    } catch (const device::TooShort& reason) {
      EXPECT_NE(std::string(reason.what()).find("measure again"), std::string::npos);  // this machine runs much else
    }
  }
  // Nothing is known of the caches of some virtual machines.
  if (cpu::machine().furthest_cache_bytes > 0) {
    EXPECT_GE(points, 2);
  }
}

TEST(CpuLoadedLatency, IsAskedOfTheCpuItselfAndOfDevicesUnderOneName) {
  EXPECT_EQ(cpu_loaded_latency.name, loaded_latency.name);
  for (const device::Api api : {device::Api::opencl, device::Api::vulkan, device::Api::cpu, device::Api::model})
    EXPECT_NE(is_asked_through(loaded_latency, api), is_asked_through(cpu_loaded_latency, api));
}

}  // namespace
}  // namespace sonde::probes
