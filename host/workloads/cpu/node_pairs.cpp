#include "workloads/cpu/node_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/statistics.hpp"
#include "measure/visits.hpp"

namespace sonde::workloads {
namespace {

using measure::Measurement;

constexpr double times_the_caches_of_a_node = 4;
constexpr double least_node_bytes = 64 << 20;
constexpr double node_bytes_without_a_cache = 256 << 20;

/// Whether it is about one pair: measurements of all nodes at once name none.
bool is_of_a_pair(const Measurement& one) {
  return is_of_nodes(one.point.words) && one.point.x.from && !one.values.empty();
}

double median_over_pairs(std::span<const Measurement> measurements) {
  std::vector<double> medians;
  for (const Measurement& one : measurements) medians.push_back(measure::median_of(one));
  return medians.empty() ? 0 : analysis::quantile(medians, 0.5);
}

std::string pair_text(const Measurement& one) {
  return fmt::format("node {:g} to node {:g}", *one.point.x.from, *one.point.x.to);
}

}  // namespace

std::vector<NodePair> node_pairs(const cpu::Topology& machine) {
  std::vector<NodePair> pairs;
  if (machine.nodes.size() < 2) return pairs;
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
                                            std::string_view unit, std::string_view what) {
  std::map<measure::Words, std::vector<Measurement>> by_placement;
  for (const Measurement& one : measurements) {
    if (one.unit == unit && is_of_a_pair(one)) by_placement[one.point.words].push_back(one);
  }
  std::vector<measure::Finding> findings;
  for (const auto& [words, pairs] : by_placement) {
    const measure::SeenByVisit<double> seen(pairs, median_over_pairs);
    const auto [least, most] = std::ranges::minmax_element(pairs, {}, measure::median_of);
    measure::Finding finding{.kind = &kind, .words = words, .unit = std::string(unit)};
    measure::set_value(finding, seen.estimate([](double median) { return median; }));
    finding.evidence =
        fmt::format("In the memory of {} {} {:.3g} {}",
                    words.placement == measure::Placement::same_node ? "the core's own node" : "another node", what,
                    seen.all(), unit);
    finding.evidence += pairs.size() == 1 ? fmt::format(" ({}).", pair_text(*least))
                                          : fmt::format(", the median of {} pairs; from {:.3g} ({}) to {:.3g} ({}).",
                                                        pairs.size(), measure::median_of(*least), pair_text(*least),
                                                        measure::median_of(*most), pair_text(*most));
    findings.push_back(finding);
  }
  return findings;
}

}  // namespace sonde::workloads
