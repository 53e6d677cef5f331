// What is concluded of NUMA nodes that are made up, as no machine with several is at hand.

#include "workloads/cpu/node_pairs.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "probes/catalog.hpp"
#include "probes/cpu_latency/cpu_latency.hpp"
#include "support/made_up_machine.hpp"

namespace sonde::workloads {
namespace {

using measure::Finding;
using measure::Measurement;

Measurement of_nodes(int from, int to, double value, const char* unit = "ns") {
  const NodePair pair{.from = from, .to = to};
  return {.point = {.words = {.pages = measure::PageSize::huge,
                              .placement = pair.placement(),
                              .state = measure::MemoryState::asleep},
                    .x = {.bytes = 1 << 28,
                          .cpu_threads = 8,
                          .from = static_cast<double>(from),
                          .to = static_cast<double>(to)}},
          .unit = unit,
          .values = std::vector<double>(7, value),
          .state = {}};
}

TEST(NodePairs, AreAllOrderedPairsOfNodesWithCoresToNodesWithMemory) {
  const auto count = [](const char* synthetic) { return node_pairs(cpu::read(test::machine_xml(synthetic))).size(); };
  EXPECT_EQ(count("package:2 [numa] core:4 pu:1"), 4u);
  EXPECT_EQ(count("package:2 group:4 [numa] core:4 pu:1"), 64u);
  EXPECT_EQ(count("package:1 [numa] [numa] core:4 pu:1"), 2u);
  EXPECT_EQ(count("core:4 pu:1"), 0u);
}

TEST(NodePairs, MemoryIsFourTimesTheCachesOfTheNodesCores) {
  const cpu::Topology machine = cpu::read(test::machine_xml("package:2 [numa] l3:4(size=33554432) core:8 pu:1"));
  EXPECT_EQ(node_memory_bytes(machine, 0), 4.0 * 4 * (32 << 20));
  EXPECT_EQ(node_memory_bytes(cpu::read(test::machine_xml("package:2 [numa] core:4 pu:1")), 1), 256 << 20);
}

TEST(NodeFindings, HaveTheMedianOfEachPlacement) {
  const std::vector<Measurement> all{of_nodes(0, 0, 95), of_nodes(1, 1, 97), of_nodes(0, 1, 140), of_nodes(1, 0, 150)};
  const std::vector<Finding> found =
      node_findings(all, probes::cpu_latency_probe::node_latency, "a dependent load took");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].words.placement, measure::Placement::other_node);
  EXPECT_EQ(found[0].value, 145);
  EXPECT_EQ(
      found[0].evidence,
      "In the memory of another node a dependent load took 145 ns, the median of 2 pairs; from 140 (node 0 to node "
      "1) to 150 (node 1 to node 0).");
  EXPECT_EQ(found[1].value, 96);
}

TEST(NodeFindings, AreNoLevelsOfTheProbe) {
  const std::vector<Measurement> all{of_nodes(0, 0, 95), of_nodes(0, 1, 140)};
  const measure::Conclusion conclusion = probes::cpu_latency.conclude({}, all);
  EXPECT_TRUE(conclusion.levels.empty());
  EXPECT_TRUE(conclusion.without_levels.empty());
  EXPECT_EQ(conclusion.findings.size(), 2u);
}

TEST(NodeFindings, HoldAllNodesCrossingAgainstEachReadingItsOwn) {
  const auto at_once = [](int hops, double gbps) {
    Measurement one = of_nodes(0, hops, gbps, "GB/s");
    one.point.words.bytes_counted = measure::BytesCounted::program;
    one.point.x.from.reset();
    one.point.x.to.reset();
    one.point.x.hops = hops;
    return one;
  };
  const std::vector<Measurement> all{at_once(0, 400), at_once(1, 120)};
  const measure::Conclusion conclusion = probes::cpu_bandwidth.conclude({}, all);
  ASSERT_EQ(conclusion.findings.size(), 1u);
  EXPECT_EQ(conclusion.findings[0].kind->name, "nodes-crossing");
  EXPECT_NEAR(*conclusion.findings[0].value, 0.3, 1e-9);
}

}  // namespace
}  // namespace sonde::workloads
