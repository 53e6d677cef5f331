#include "probes/cpu_bandwidth/nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "device/error.hpp"
#include "measure/visits.hpp"
#include "probes/cpu_bandwidth/plan.hpp"
#include "workloads/cpu/node_pairs.hpp"

namespace sonde::probes {
namespace {

using workloads::NodePair;

/// The stream of all these points, apart from its threads.
std::map<std::string, std::string> words(const std::string& placement) {
  std::map<std::string, std::string> series = series_of({.stream = cpu::Stream::read});
  series["placement"] = placement;
  return series;
}

class PlannedNodes {
 public:
  explicit PlannedNodes(const Request& request) : request_(request) {}

  /// As many whole steps of every thread as are in `bytes`.
  void add(const std::string& placement, std::size_t threads, double bytes, std::map<std::string, double> x) {
    const double unit = static_cast<double>(sizeof(double) * cpu::stream_step * threads);
    x["bytes"] = std::max(1.0, std::round(bytes / unit)) * unit;
    x["cpu_threads"] = static_cast<double>(threads);
    if (!measure::is_asked_for(request_, x["bytes"])) return;
    const double seconds = request_.effort == Effort::quick ? 0.2 : 0.6;
    points.push_back({.series = words(placement), .x = std::move(x), .expected_seconds = seconds});
  }

  std::vector<Point> points;

 private:
  const Request& request_;
};

/// The next node's memory is read, and the last one's cores read the first one's.
int node_after(const std::vector<int>& nodes, int node, int hops) {
  const auto at = static_cast<std::size_t>(std::ranges::find(nodes, node) - nodes.begin());
  return nodes[(at + static_cast<std::size_t>(hops)) % nodes.size()];
}

const Measurement* all_at_once(std::span<const Measurement> measurements, double hops) {
  for (const Measurement& one : measurements) {
    const auto found = one.point.x.find("hops");
    if (found != one.point.x.end() && found->second == hops && !one.values.empty()) return &one;
  }
  return nullptr;
}

}  // namespace

std::vector<Point> node_bandwidth_points(const cpu::Topology& machine, const Request& request) {
  const std::vector<NodePair> pairs = workloads::node_pairs(machine);
  if (pairs.empty()) return {workloads::point_of_one_node(words("other-node"), machine)};
  PlannedNodes planned(request);
  for (const NodePair& pair : pairs) {
    planned.add(pair.placement(), cpu::cores_of_node(machine, pair.from).size(),
                workloads::node_memory_bytes(machine, pair.from), {{"from", pair.from}, {"to", pair.to}});
  }
  const std::vector<int> nodes = workloads::whole_nodes(machine);
  double bytes = 0;
  std::size_t threads = 0;
  for (const int node : nodes) {
    bytes += workloads::node_memory_bytes(machine, node);
    threads += cpu::cores_of_node(machine, node).size();
  }
  if (nodes.size() < 2) return planned.points;
  for (const int hops : {0, 1}) planned.add(hops == 0 ? "same-node" : "other-node", threads, bytes, {{"hops", hops}});
  return planned.points;
}

NodeReaders node_readers(const cpu::Topology& machine, const Point& point) {
  if (!point.x.contains("bytes")) throw device::Unsupported(workloads::why_one_node());
  const auto hops = point.x.find("hops");
  const std::vector<int> nodes = workloads::whole_nodes(machine);
  NodeReaders readers;
  for (const cpu::Core* core : order_of(machine, Pinning::compact)) {
    if (hops == point.x.end()) {
      const NodePair pair = workloads::node_pair_of(point);
      if (core->node != pair.from) continue;
      readers.cores.push_back(core);
      readers.memory_nodes.push_back(pair.to);
    } else if (std::ranges::find(nodes, core->node) != nodes.end()) {
      readers.cores.push_back(core);
      readers.memory_nodes.push_back(node_after(nodes, core->node, static_cast<int>(hops->second)));
    }
  }
  return readers;
}

std::vector<Finding> node_bandwidths(std::span<const Measurement> measurements) {
  std::vector<Finding> findings =
      workloads::node_findings(measurements, "node-bandwidth", "GB/s", "all cores of a node together read");
  const Measurement* const own = all_at_once(measurements, 0);
  const Measurement* const crossing = all_at_once(measurements, 1);
  if (own == nullptr || crossing == nullptr) return findings;
  const analysis::Estimate near = measure::estimate(*own);
  const analysis::Estimate far = measure::estimate(*crossing);
  Finding finding{.series = crossing->point.series, .name = "nodes-crossing", .unit = "ratio"};
  measure::state(finding, {far.low / near.high, far.value / near.value, far.high / near.low});
  finding.evidence = fmt::format(
      "While every node's cores read the next node's memory they got {:.3g} GB/s, all together; {:.3g} while each read "
      "its own: {:.2f} times as much.",
      far.value, near.value, far.value / near.value);
  findings.push_back(finding);
  return findings;
}

}  // namespace sonde::probes
