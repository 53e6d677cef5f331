// What the CPU's probes ask of machines that nobody here has, by their topology alone. tests/data/plans has what a
// careful person would choose; where a plan changes on purpose, look at the new one and put it there.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cpu/topology.hpp"
#include "probes/core_to_core/core_to_core.hpp"
#include "probes/cpu_bandwidth/cpu_bandwidth.hpp"
#include "probes/cpu_latency/cpu_latency.hpp"
#include "probes/cpu_loaded_latency/cpu_loaded_latency.hpp"
#include "support/made_up_machine.hpp"

namespace sonde::probes {
namespace {

using namespace core_to_core_probe;

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct Machine {
  const char* name;
  const char* synthetic;  ///< null: tests/data/machines has it
};
constexpr Machine machines[] = {
    {"zen-2-64-cores", "package:1 [numa] l3:16(size=16777216) l2:4(size=524288) core:1 pu:2"},
    {"zen-5-128-cores", "package:1 [numa] l3:16(size=33554432) l2:8(size=1048576) core:1 pu:2"},
    {"sapphire-rapids-2-sockets", "package:2 [numa] l3:1(size=110100480) l2:56(size=2097152) core:1 pu:2"},
    {"two-cores", "l3:1(size=8388608) l2:2(size=524288) core:1 pu:1"},
    {"meteor-lake", nullptr},
    // NPS4: four nodes a socket.
    {"zen-5-2-sockets-nps4", "package:2 group:4 [numa] l3:4(size=33554432) core:8 pu:2"},
    // A socket in flat mode, whose second node has memory and no core.
    {"sapphire-rapids-flat-hbm", "package:1 [numa] [numa] l3:1(size=110100480) core:56 pu:2"},
};

void PrintTo(const Machine& machine, std::ostream* out) { *out << machine.name; }

cpu::Topology topology_of(const Machine& machine) {
  return cpu::read(machine.synthetic != nullptr
                       ? test::machine_xml(machine.synthetic)
                       : text_of(std::string(TEST_DATA) + "/machines/" + machine.name + ".xml"));
}

/// "exchange compare-and-swap, line modified".
std::string words_of(const Point& point) {
  std::string text;
  for (const auto& [key, word] : measure::written(point.words)) {
    if (key != "placement") text += (text.empty() ? "" : ", ") + key + " " + word;
  }
  return text;
}

std::string placement_of(const Point& point) { return std::string(measure::word_of(point.words.placement.value())); }

double seconds_of(const std::vector<Point>& points) {
  double seconds = 0;
  for (const Point& point : points) seconds += point.visits * point.expected_seconds;
  return seconds;
}

std::string core_to_core_plan(const cpu::Topology& machine, Look look) {
  const Request request{.look = look};
  const std::vector<Point> points =
      within_seconds(request, core_to_core_points(machine, request), seconds_of_look(look));
  std::map<std::string, std::map<std::string, int>> counts;
  std::string pairs;
  for (const Point& point : points) {
    std::string what = words_of(point);
    if (point.x.bytes) what += ", " + size_text(*point.x.bytes);
    ++counts[what][placement_of(point)];
    if (point.words.role && point.words.line) pairs += fmt::format(" {}>{}", *point.x.from, *point.x.to);
  }
  std::string text = fmt::format("{} cores, about {} s\n", machine.cores.size(), std::ceil(seconds_of(points)));
  for (const auto& [what, placements] : counts) {
    text += what + ":";
    for (const auto& [placement, count] : placements) text += fmt::format(" {} {}", count, placement);
    text += fmt::format(", {} visits\n", points.front().visits);
  }
  return text + "held lines:" + pairs + "\n";
}

std::string nodes_plan(const cpu::Topology& machine, Look look) {
  std::string text;
  std::vector<Point> points = node_latency_points(machine, true, {.look = look});
  for (const Point& point : node_bandwidth_points(machine, {.look = look})) points.push_back(point);
  std::string before;
  for (const Point& point : points) {
    std::string what = words_of(point);
    if (point.x.bytes) what += fmt::format(", {}", size_text(*point.x.bytes));
    if (point.x.cpu_threads) what += fmt::format(", {} threads", *point.x.cpu_threads);
    if (point.x.hops) what += ", all at once, hops";
    if (what != before) text += "\n  " + what + ":";
    before = what;
    text += point.x.hops ? fmt::format(" {}", *point.x.hops) : fmt::format(" {}>{}", *point.x.from, *point.x.to);
  }
  return fmt::format("about {} s{}\n", std::ceil(seconds_of(points)), text);
}

std::string cpu_bandwidth_plan(const cpu::Topology& machine, Look look) {
  std::map<std::string, std::map<int, std::string>> sizes;
  const std::vector<Point> points = cpu_bandwidth_points(machine, {.look = look});
  for (const Point& point : points) {
    sizes[words_of(point)][static_cast<int>(*point.x.cpu_threads)] += " " + size_text(*point.x.bytes);
  }
  std::string text = fmt::format("{} points, about {} s\n", points.size(), std::ceil(seconds_of(points)));
  for (const auto& [words, by_threads] : sizes) {
    text += words + "\n";
    for (const auto& [threads, of_threads] : by_threads) text += fmt::format("  {} threads:{}\n", threads, of_threads);
  }
  return text;
}

/// The sets with what each loading thread has in them, and how many load without delay; delays follow what is measured.
std::string loaded_latency_plan(const cpu::Topology& machine, Look look) {
  const Request request{.look = look};
  const std::vector<WalkedSet> sets = walked_sets(machine, request);
  std::map<std::string, std::string> threads;
  const std::vector<Point> points = cpu_load_points(machine, request, {});
  for (const Point& point : points) {
    const auto set = std::ranges::find(sets, *point.x.bytes, &WalkedSet::bytes);
    const int loading = static_cast<int>(*point.x.cpu_threads);
    std::string& of_curve = threads[size_text(*point.x.bytes) + ", " + placement_of(point) + ", " + words_of(point)];
    of_curve += fmt::format(" {}", loading);
    if (loading > 0) of_curve += " x " + size_text(load_bytes_of(machine, *set, *point.words.placement, loading));
  }
  std::string text = fmt::format("{} points, about {} s\n", points.size(), std::ceil(seconds_of(points)));
  for (const auto& [curve, of_curve] : threads) text += fmt::format("  {}:{}\n", curve, of_curve);
  return text;
}

/// CPUs in the order in which threads are put on them.
std::string orders(const cpu::Topology& machine) {
  std::string text;
  for (const measure::Pinning pinning : {measure::Pinning::compact, measure::Pinning::spread}) {
    text += std::string(measure::word_of(pinning)) + ":";
    for (const cpu::Core* core : order_of(machine, pinning)) text += fmt::format(" {}", core->cpu);
    text += "\n";
  }
  return text;
}

class CpuPlans : public ::testing::TestWithParam<Machine> {};

TEST_P(CpuPlans, AreWhatACarefulPersonWouldChoose) {
  const cpu::Topology machine = topology_of(GetParam());
  std::string text = orders(machine);
  for (const auto& [look, name] : {std::pair(Look::first, "quick"), std::pair(Look::closer, "normal")}) {
    text += fmt::format("core-to-core at {}: {}", name, core_to_core_plan(machine, look));
    text += fmt::format("nodes at {}: {}", name, nodes_plan(machine, look));
    text += fmt::format("cpu-bandwidth at {}: {}", name, cpu_bandwidth_plan(machine, look));
    text += fmt::format("loaded-latency, first points at {}: {}", name, loaded_latency_plan(machine, look));
  }
  EXPECT_EQ(text, text_of(std::string(TEST_DATA) + "/plans/" + GetParam().name + ".txt"));
}

INSTANTIATE_TEST_SUITE_P(OfMachines, CpuPlans, ::testing::ValuesIn(machines), [](const auto& tested) {
  std::string name = tested.param.name;
  std::erase(name, '-');
  return name;
});

TEST(CoreToCorePlan, Of128CoresTakesUnderTwoMinutesForAllPairs) {
  const cpu::Topology machine = topology_of(machines[1]);
  const double seconds = seconds_of(core_to_core_points(machine, {}));
  EXPECT_GT(seconds, 10);
  EXPECT_LT(seconds, 120);
}

TEST(CoreToCorePlan, PairsThatGoAtOnceShareNoCoreAndAreAllOfThem) {
  for (const char* synthetic : {"l3:16(size=33554432) core:8 pu:2", "l3:9(size=33554432) core:5 pu:1"}) {
    const cpu::Topology machine = cpu::read(test::machine_xml(synthetic));
    std::vector<const cpu::Core*> cores;
    for (const cpu::Core& core : machine.cores) cores.push_back(&core);
    std::set<std::pair<int, int>> seen;
    const Tournament tournament(machine, cores);
    for (const std::vector<CpuPair>& group : tournament.groups()) {
      EXPECT_LE(group.size(), tournament.pairs_at_once());
      ASSERT_FALSE(group.empty());
      EXPECT_EQ(tournament.group_of(group.front()), group);
      std::set<const cpu::Core*> busy;
      for (const CpuPair& pair : group) {
        EXPECT_TRUE(busy.insert(pair.from).second);
        EXPECT_TRUE(pair.from == pair.to || busy.insert(pair.to).second);
        EXPECT_TRUE(seen.emplace(pair.from_cpu(), pair.to_cpu()).second);
      }
    }
    const std::size_t siblings = cores.front()->siblings.empty() ? 0 : cores.size();
    EXPECT_EQ(seen.size(), cores.size() * (cores.size() - 1) + siblings) << synthetic;
  }
}

TEST(CoreToCorePlan, PointsOfPairsAtOnceLeadBackToAllOfThem) {
  const cpu::Topology machine = topology_of(machines[0]);
  const Tournament tournament(machine, all_cores(machine));
  std::size_t pairs = 0;
  for (const Point& point : core_to_core_points(machine, {})) {
    if (!point.words.beside) continue;
    const CpuPair first = pair_of(point, machine);
    EXPECT_EQ(first.placement(), point.words.placement);
    pairs += tournament.group_of(first).size();
  }
  EXPECT_EQ(pairs, 64u * 63 + 64);
}

TEST(CoreToCorePlan, BetweenNodesTheMemoryIsAtEitherSide) {
  const cpu::Topology machine = topology_of(machines[2]);
  int elsewhere = 0;
  for (const Point& point : core_to_core_points(machine, {})) {
    if (!point.x.node) continue;
    ++elsewhere;
    EXPECT_EQ(point.words.placement, measure::Placement::other_node);
    EXPECT_EQ(*point.x.node, pair_of(point, machine).to->node);
  }
  EXPECT_EQ(elsewhere, 2 * 3);  // either way a held line and two queues
}

TEST(CoreToCorePlan, CopiesAGibibyteOrWhatMemoryAndSizesAllow) {
  const cpu::Topology machine = topology_of(machines[3]);
  const auto copied = [&](std::uint64_t memory_bytes, std::optional<std::uint64_t> largest = {}) {
    double bytes = 0;
    for (const Point& point : core_to_core_points(machine, {.largest_bytes = largest}, memory_bytes)) {
      if (point.words.pattern) bytes = *point.x.bytes;
    }
    return bytes;
  };
  EXPECT_EQ(copied(64ull << 30), 1 << 30);
  EXPECT_EQ(copied(64ull << 30, 512 << 20), 512 << 20);
  EXPECT_EQ(copied(64ull << 30, 4ull << 30), 4.0 * (1 << 30));
  EXPECT_EQ(copied(512 << 20), 0);
}

// --- what a mask, a control group or a node without cores leaves ---

TEST(CpuPlansOfALimitedProcess, GoOnWithTheCoresOfAMask) {
  const cpu::Topology machine =
      cpu::read(test::machine_xml("package:2 [numa] l3:1(size=33554432) core:8 pu:2", {}, true, {2, 3, 16, 17, 20}));
  ASSERT_EQ(machine.cores.size(), 3u);
  EXPECT_EQ(machine.nodes, (std::vector<int>{0, 1}));
  EXPECT_EQ(node_latency_points(machine, false, {}).size(), 4u);
  const std::vector<Point> points = core_to_core_points(machine, {});
  EXPECT_FALSE(points.empty());
  for (const Point& point : points) EXPECT_NO_THROW((void)pair_of(point, machine));
}

TEST(CpuPlansOfALimitedProcess, ReachForTheMemoryOfANodeThatTheMaskLeavesNoCore) {
  const cpu::Topology machine =
      cpu::read(test::machine_xml("package:2 [numa] l3:1(size=33554432) core:8 pu:1", {}, true, {0, 1}));
  const std::vector<Point> points = node_bandwidth_points(machine, {});
  ASSERT_EQ(points.size(), 2u);  // and no crossing, for which both would need cores
  EXPECT_EQ(points[1].x.from, 0);
  EXPECT_EQ(points[1].x.to, 1);
}

TEST(CpuPlansOfALimitedProcess, HaveFewerPairsAtOnceWithinAQuota) {
  cpu::Topology machine = topology_of(machines[1]);
  const auto at_once = [](const cpu::Topology& on) { return Tournament(on, all_cores(on)).pairs_at_once(); };
  EXPECT_EQ(at_once(machine), 8u);
  machine.quota = 4.5;
  EXPECT_EQ(at_once(machine), 2u);
  machine.quota = 0.5;
  EXPECT_EQ(at_once(machine), 1u);
  EXPECT_EQ(at_once(cpu::read(test::machine_xml("core:16 pu:1"))), 4u);
}

TEST(NodePlans, OfOneNodeHaveOnePointThatSaysWhy) {
  const cpu::Topology machine = topology_of(machines[3]);
  const std::vector<Point> latency = node_latency_points(machine, true, {});
  const std::vector<Point> bandwidth = node_bandwidth_points(machine, {});
  ASSERT_EQ(latency.size(), 1u);
  ASSERT_EQ(bandwidth.size(), 1u);
  EXPECT_THROW(node_walk(machine, latency.front(), {}), device::Unsupported);
  EXPECT_THROW(node_readers(machine, bandwidth.front()), device::Unsupported);
}

TEST(NodePlans, KeepToTheSizesThatTheUserAskedFor) {
  const cpu::Topology machine = topology_of(machines[2]);
  EXPECT_TRUE(node_latency_points(machine, true, {.largest_bytes = 16 << 20}).empty());
  EXPECT_TRUE(node_bandwidth_points(machine, {.largest_bytes = 16 << 20}).empty());
}

TEST(NodePlans, EveryNodesCoresReadTheNextNodesMemoryAtOnce) {
  const cpu::Topology machine = topology_of(machines[5]);
  const Point crossing = node_bandwidth_points(machine, {}).back();
  EXPECT_EQ(crossing.x.hops, 1);
  const NodeReaders readers = node_readers(machine, crossing);
  ASSERT_EQ(readers.cores.size(), 256u);
  for (std::size_t index = 0; index < readers.cores.size(); ++index) {
    EXPECT_EQ(readers.memory_nodes[index], (readers.cores[index]->node + 1) % 8);
  }
  const Point first = node_bandwidth_points(machine, {}).front();
  EXPECT_EQ(node_readers(machine, first).cores.size(), 32u);
}

TEST(CoreToCorePlan, OfAThousandCoresBeginsEverywhereAndReachesAllPairs) {
  const cpu::Topology machine = cpu::read(test::machine_xml("package:2 [numa] l3:32(size=33554432) core:16 pu:1"));
  const std::vector<Point> all = core_to_core_points(machine, {});
  std::size_t pairs_at_once = 0;
  for (const Point& point : all) pairs_at_once += point.words.beside ? 1 : 0;
  EXPECT_EQ(pairs_at_once, 1024u * 1023 / 8);
  std::set<int> clusters;
  std::set<Placement> placements;
  const std::vector<Point> first = within_seconds({}, all, 3);
  EXPECT_LT(seconds_of(first), 3);
  for (const Point& point : first) {
    const CpuPair pair = pair_of(point, machine);
    clusters.insert({pair.from->cluster, pair.to->cluster});
    placements.insert(pair.placement());
  }
  EXPECT_GT(clusters.size(), 55u);
  EXPECT_EQ(placements.size(), 3u);
}

TEST(CoreToCorePlan, LongerBeginningsOnlyAdd) {
  for (const Machine& one : machines) {
    const cpu::Topology machine = topology_of(one);
    const std::vector<Point> all = core_to_core_points(machine, {});
    std::set<measure::PointKey> keys;
    for (const Point& point : all) EXPECT_TRUE(keys.insert(key_of(point)).second) << one.name;
    std::size_t before = 0;
    for (const double seconds : {0.3, 3.0, 30.0, 1e9}) {
      const std::vector<Point> some = within_seconds({}, all, seconds);
      ASSERT_GE(some.size(), before);
      before = some.size();
      for (std::size_t i = 0; i < some.size(); ++i) ASSERT_EQ(key_of(some[i]), key_of(all[i])) << one.name;
    }
    EXPECT_EQ(before, all.size());
  }
}

TEST(CoreToCorePlan, PointsLeadBackToTheirPairs) {
  const cpu::Topology machine = topology_of(machines[4]);
  for (const Point& point : core_to_core_points(machine, {})) {
    const CpuPair pair = pair_of(point, machine);
    EXPECT_EQ(pair.placement(), point.words.placement);
    EXPECT_EQ(pair.from_cpu(), point.x.from);
    EXPECT_EQ(pair.to_cpu(), point.x.to);
    EXPECT_NE(pair.from_cpu(), pair.to_cpu());
  }
  EXPECT_THROW((void)pair_of(point_on(exchange_by_compare_and_swap, {.from = 0, .to = 4711}), machine),
               device::Unsupported);
}

TEST(CoreToCorePlan, KeepsToTheSizesThatTheUserAskedFor) {
  const cpu::Topology machine = topology_of(machines[3]);
  for (const Point& point : core_to_core_points(machine, {.smallest_bytes = 5 << 20})) {
    EXPECT_GE(point.x.bytes.value_or(8e6), 5 << 20);
  }
}

}  // namespace
}  // namespace sonde::probes
