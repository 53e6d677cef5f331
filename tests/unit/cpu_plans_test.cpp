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
#include "probes/core_to_core/plan.hpp"
#include "probes/cpu_bandwidth/plan.hpp"
#include "probes/loaded_latency/cpu_plan.hpp"
#include "support/made_up_machine.hpp"

namespace sonde::probes {
namespace {

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
};

void PrintTo(const Machine& machine, std::ostream* out) { *out << machine.name; }

cpu::Topology topology_of(const Machine& machine) {
  return cpu::read(machine.synthetic != nullptr
                       ? test::machine_xml(machine.synthetic)
                       : text_of(std::string(TEST_DATA) + "/machines/" + machine.name + ".xml"));
}

/// "exchange compare-and-swap, line modified".
std::string words_of(std::map<std::string, std::string> series) {
  series.erase("placement");
  std::string text;
  for (const auto& [key, word] : series) text += (text.empty() ? "" : ", ") + key + " " + word;
  return text;
}

double seconds_of(const std::vector<Point>& points) {
  double seconds = 0;
  for (const Point& point : points) seconds += point.visits * point.expected_seconds;
  return seconds;
}

std::string core_to_core_plan(const cpu::Topology& machine, Effort effort) {
  const std::vector<Point> points = core_to_core_points(machine, {.effort = effort});
  std::map<std::string, std::map<std::string, int>> counts;
  std::string pairs;
  for (const Point& point : points) {
    std::string what = words_of(point.series);
    if (point.x.contains("bytes")) what += ", " + size_text(point.x.at("bytes"));
    ++counts[what][point.series.at("placement")];
    if (point.series.contains("role") && point.series.contains("line"))
      pairs += fmt::format(" {}>{}", point.x.at("from"), point.x.at("to"));
  }
  std::string text =
      fmt::format("{} cores, about {} s\n", measured_cores(machine, effort).size(), std::ceil(seconds_of(points)));
  for (const auto& [what, placements] : counts) {
    text += what + ":";
    for (const auto& [placement, count] : placements) text += fmt::format(" {} {}", count, placement);
    text += fmt::format(", {} visits\n", points.front().visits);
  }
  return text + "held lines:" + pairs + "\n";
}

std::string cpu_bandwidth_plan(const cpu::Topology& machine, Effort effort) {
  std::map<std::string, std::map<int, std::string>> sizes;
  const std::vector<Point> points = cpu_bandwidth_points(machine, {.effort = effort});
  for (const Point& point : points) {
    sizes[words_of(point.series)][static_cast<int>(point.x.at("cpu_threads"))] += " " + size_text(point.x.at("bytes"));
  }
  std::string text = fmt::format("{} points, about {} s\n", points.size(), std::ceil(seconds_of(points)));
  for (const auto& [words, by_threads] : sizes) {
    text += words + "\n";
    for (const auto& [threads, of_threads] : by_threads) text += fmt::format("  {} threads:{}\n", threads, of_threads);
  }
  return text;
}

/// The sets with what each loading thread has in them, and how many load without delay; delays follow what is measured.
std::string loaded_latency_plan(const cpu::Topology& machine, Effort effort) {
  const Request request{.effort = effort};
  const std::vector<WalkedSet> sets = walked_sets(machine, request);
  std::map<std::string, std::string> threads;
  const std::vector<Point> points = cpu_load_points(machine, request, {});
  for (const Point& point : points) {
    const CpuLoadChoice choice = load_choice_of(point);
    const auto set = std::ranges::find(sets, choice.bytes, &WalkedSet::bytes);
    std::string& of_curve =
        threads[size_text(choice.bytes) + ", " + point.series.at("placement") + ", " + words_of(point.series)];
    of_curve += fmt::format(" {}", choice.threads);
    if (choice.threads > 0)
      of_curve += " x " + size_text(load_bytes_of(machine, *set, choice.placement, choice.threads, effort));
  }
  std::string text = fmt::format("{} points, about {} s\n", points.size(), std::ceil(seconds_of(points)));
  for (const auto& [curve, of_curve] : threads) text += fmt::format("  {}:{}\n", curve, of_curve);
  return text;
}

/// CPUs in the order in which threads are put on them.
std::string orders(const cpu::Topology& machine) {
  std::string text;
  for (const auto& [pinning, name] : {std::pair(Pinning::compact, "compact"), std::pair(Pinning::spread, "spread")}) {
    text += std::string(name) + ":";
    for (const cpu::Core* core : order_of(machine, pinning)) text += fmt::format(" {}", core->cpu);
    text += "\n";
  }
  return text;
}

class CpuPlans : public ::testing::TestWithParam<Machine> {};

TEST_P(CpuPlans, AreWhatACarefulPersonWouldChoose) {
  const cpu::Topology machine = topology_of(GetParam());
  std::string text = orders(machine);
  for (const auto& [effort, name] : {std::pair(Effort::quick, "quick"), std::pair(Effort::normal, "normal")}) {
    text += fmt::format("core-to-core at {}: {}", name, core_to_core_plan(machine, effort));
    text += fmt::format("cpu-bandwidth at {}: {}", name, cpu_bandwidth_plan(machine, effort));
    text += fmt::format("loaded-latency, first points at {}: {}", name, loaded_latency_plan(machine, effort));
  }
  EXPECT_EQ(text, text_of(std::string(TEST_DATA) + "/plans/" + GetParam().name + ".txt"));
}

INSTANTIATE_TEST_SUITE_P(OfMachines, CpuPlans, ::testing::ValuesIn(machines), [](const auto& tested) {
  std::string name = tested.param.name;
  std::erase(name, '-');
  return name;
});

TEST(CoreToCorePlan, Of128CoresTakesUnderFiveMinutesAtNormal) {
  const cpu::Topology machine = topology_of(machines[1]);
  EXPECT_EQ(measured_cores(machine, Effort::normal).size(), 128u);
  EXPECT_LT(seconds_of(core_to_core_points(machine, {.effort = Effort::normal})), 300);
}

TEST(CoreToCorePlan, OfAThousandCoresIsThinnedAndSaysSo) {
  const cpu::Topology machine = cpu::read(test::machine_xml("package:2 [numa] l3:32(size=33554432) core:16 pu:1"));
  const Request request{.effort = Effort::normal};
  EXPECT_LT(seconds_of(core_to_core_points(machine, request)), 360);
  const Point last = core_to_core_points(machine, request).back();
  EXPECT_EQ(pair_of(last, machine, request.effort), std::nullopt);
  EXPECT_NE(why_left_out(machine, request.effort).find("of 1024 cores 144"), std::string::npos);
  std::set<int> clusters;
  for (const cpu::Core* core : measured_cores(machine, request.effort)) clusters.insert(core->cluster);
  EXPECT_EQ(clusters.size(), 64u);
}

TEST(CoreToCorePlan, PointsLeadBackToTheirPairs) {
  const cpu::Topology machine = topology_of(machines[4]);
  for (const Point& point : core_to_core_points(machine, {})) {
    const auto pair = pair_of(point, machine, Effort::normal);
    ASSERT_TRUE(pair);
    EXPECT_EQ(placement_of(*pair), point.series.at("placement"));
    EXPECT_EQ(pair->from_cpu(), point.x.at("from"));
    EXPECT_EQ(pair->to_cpu(), point.x.at("to"));
    EXPECT_NE(pair->from_cpu(), pair->to_cpu());
  }
}

TEST(CoreToCorePlan, KeepsToTheSizesThatTheUserAskedFor) {
  const cpu::Topology machine = topology_of(machines[3]);
  for (const Point& point : core_to_core_points(machine, {.smallest_bytes = 5 << 20})) {
    EXPECT_GE(point.x.contains("bytes") ? point.x.at("bytes") : 8e6, 5 << 20);
  }
}

}  // namespace
}  // namespace sonde::probes
