#include "probes/cpu_latency/nodes.hpp"

#include <map>
#include <optional>
#include <string>

#include "device/error.hpp"
#include "workloads/cpu/cpu_walk.hpp"
#include "workloads/cpu/node_pairs.hpp"

namespace sonde::probes {
namespace {

/// Of one line: its place in the cycle, its pointer, and a lap or three.
constexpr double seconds_a_line = 4.5e-7;

double walked_bytes(const cpu::Topology& machine, int node) {
  // One core walks, and has one cluster's cache.
  cpu::Topology alone = machine;
  alone.cores = {*cpu::cores_of_node(machine, node).back()};
  return workloads::node_memory_bytes(alone, node);
}

}  // namespace

std::vector<Point> node_latency_points(const cpu::Topology& machine, bool huge_pages, const Request& request) {
  const std::map<std::string, std::string> words{{"pages", huge_pages ? "huge" : "small"}, {"state", "asleep"}};
  const std::vector<workloads::NodePair> pairs = workloads::node_pairs(machine);
  if (pairs.empty()) return {workloads::point_of_one_node(words, machine)};
  std::vector<Point> points;
  for (const workloads::NodePair& pair : pairs) {
    const double bytes = walked_bytes(machine, pair.from);
    if (!measure::is_asked_for(request, bytes)) continue;
    Point point{.series = words,
                .x = {{"bytes", bytes}, {"from", pair.from}, {"to", pair.to}},
                .expected_seconds = bytes / request.line_bytes * seconds_a_line};
    point.series["placement"] = pair.placement();
    points.push_back(point);
  }
  return points;
}

Workload node_walk(const cpu::Topology& machine, const Point& point, const Request& request) {
  const auto bytes = point.x.find("bytes");
  if (bytes == point.x.end()) throw device::Unsupported(workloads::why_one_node());
  const workloads::NodePair pair = workloads::node_pair_of(point);
  // The last, as the first ones serve most interrupts.
  const workloads::CpuPlace place{.core = *cpu::cores_of_node(machine, pair.from).back(),
                                  .pages = point.series.at("pages") == "huge" ? cpu::PageKind::huge : cpu::PageKind::small,
                                  .awake_by = std::nullopt,
                                  .node = pair.to};
  Workload workload = workloads::cpu_cycle_chase(place, static_cast<std::uint32_t>(bytes->second / request.line_bytes),
                                                 request.line_bytes, request.seed);
  if (workload.shape.at("pinned") == 0) throw device::Unsupported(workloads::why_not_unpinned(pair.from));
  return workload;
}

}  // namespace sonde::probes
