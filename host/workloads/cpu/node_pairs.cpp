#include "workloads/cpu/node_pairs.hpp"

#include <fmt/format.h>

#include <set>

#include "analysis/number_text.hpp"
#include "measure/other_runs.hpp"

namespace sonde::workloads {
namespace {

using measure::Measurement;

constexpr double times_the_caches_of_a_node = 4;
constexpr double least_node_bytes = 64 << 20;
constexpr double node_bytes_without_a_cache = 256 << 20;

std::string pair_text(const Measurement& one) {
  return fmt::format("node {:g} to node {:g}", *one.point.x.from, *one.point.x.to);
}

}  // namespace

std::vector<NodePair> node_pairs(const cpu::Topology& machine) {
  if (machine.nodes.size() < 2) return {};
  std::vector<NodePair> pairs;
  std::set<int> with_cores;
  for (const cpu::Core& core : machine.cores) with_cores.insert(core.node);
  for (const int from : with_cores) {
    for (const int to : machine.nodes) pairs.push_back({.from = from, .to = to});
  }
  return pairs;
}

std::vector<int> whole_nodes(const cpu::Topology& machine) {
  std::vector<int> nodes = machine.nodes;
  std::erase_if(nodes, [&machine](int node) { return cpu::cores_of_node(machine, node).empty(); });
  return nodes;
}

NodePair node_pair_of(const measure::Point& point) {
  return {.from = static_cast<int>(point.x.from.value()), .to = static_cast<int>(point.x.to.value())};
}

measure::Point point_of_one_node(const measure::Curve& curve, measure::Words varied, const cpu::Topology& machine) {
  const double node = machine.cores.front().node;
  varied.placement = measure::Placement::other_node;
  return measure::point_on(curve, {.from = node, .to = node}, varied);
}

std::string why_one_node() {
  return "this process sees one node of memory, so there is no other to reach for; a machine with several sockets, or "
         "with sub-NUMA clusters or NPS switched on in its firmware, has a matrix here";
}

std::string why_not_unpinned(int node) {
  return fmt::format(
      "the system does not keep this process's threads on the cores of node {}, so nobody knows from where it reached "
      "for memory: allow sched_setaffinity",
      node);
}

double node_memory_bytes(const cpu::Topology& machine, int node) {
  std::set<int> clusters;
  for (const cpu::Core* core : cpu::cores_of_node(machine, node)) clusters.insert(core->cluster);
  const double caches = static_cast<double>(clusters.size()) * static_cast<double>(machine.furthest_cache_bytes);
  return caches > 0 ? std::max(times_the_caches_of_a_node * caches, least_node_bytes) : node_bytes_without_a_cache;
}

std::vector<measure::Finding> node_findings(std::span<const Measurement> measurements, const measure::FindingKind& kind,
                                            std::string_view what) {
  const std::string_view unit = kind.unit.name;
  std::map<measure::Words, std::vector<Measurement>> by_placement;
  for (const Measurement& one : measurements) {
    // Measurements of all nodes at once name no pair.
    const bool of_a_pair = is_of_nodes(one.point.words) && one.point.x.from && !one.values.empty();
    if (one.unit == unit && of_a_pair) by_placement[one.point.words].push_back(one);
  }
  std::vector<measure::Finding> findings;
  for (const auto& [words, pairs] : by_placement) {
    const measure::SeenInRuns<double> seen(pairs, [](std::span<const Measurement> measured) {
      std::vector<double> medians;
      std::ranges::transform(measured, std::back_inserter(medians), measure::median_of);
      return medians.empty() ? 0 : analysis::quantile(medians, 0.5);
    });
    const auto [least, most] = std::ranges::minmax_element(pairs, {}, measure::median_of);
    const std::string range = pairs.size() == 1
                                  ? fmt::format(" ({}).", pair_text(*least))
                                  : fmt::format(", the median of {} pairs; from {} ({}) to {} ({}).", pairs.size(),
                                                analysis::number_text(measure::median_of(*least)), pair_text(*least),
                                                analysis::number_text(measure::median_of(*most)), pair_text(*most));
    const bool own = words.placement == measure::Placement::same_node;
    findings.push_back(
        measure::finding_of(kind, words, seen.estimate([](double median) { return median; }),
                            fmt::format("In the memory of {} {} {} {}{}", own ? "the core's own node" : "another node",
                                        what, analysis::number_text(seen.all()), unit, range)));
  }
  return findings;
}

}  // namespace sonde::workloads
