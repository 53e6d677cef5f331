#include "probes/cpu_latency/plan.hpp"

#include <algorithm>
#include <cmath>

#include "device/error.hpp"
#include "probes/cpu_latency/curves.hpp"
#include "workloads/cpu/cpu_walk.hpp"
#include "workloads/cpu/node_pairs.hpp"
#include "workloads/walk/latency_sweep.hpp"

namespace sonde::probes {
namespace {

/// The first cache, which is reached without translation by whatever pages, is walked on small ones only.
constexpr double least_bytes_of_huge = 32 << 10;
/// The smallest working set in which the memory controller may have a part.
constexpr double least_bytes_awake = 16 << 20;

/// What a walk between nodes takes for each line: its place in the cycle, its pointer, and a lap or three.
constexpr double node_walk_seconds_a_line = 4.5e-7;

PageSize page_size(bool huge) { return huge ? PageSize::huge : PageSize::small; }

/// Every second size of the latency probe's, or every fourth, is enough for a curve beside others that is looked at
/// closer at its edges.
std::vector<Point> thinned(std::vector<Point> points, double least_bytes, int every, const Request& request) {
  const double first = static_cast<double>(request.smallest_bytes.value_or(1024));
  std::erase_if(points, [&](const Point& point) {
    const double bytes = *point.x.bytes;
    const bool between = std::lround(4 * std::log2(bytes / first)) % every != 0;
    const bool smallest = request.largest_bytes &&
                          static_cast<double>(*request.largest_bytes) < least_bytes;  // else nothing would be left
    return between || (bytes < least_bytes && !smallest);
  });
  return points;
}

std::vector<Point> swept_points(const Words& words, const device::DeviceInfo& device, const Request& request,
                                std::span<const Measurement> known) {
  const bool quick = request.effort == Effort::quick;
  const bool huge = words.pages == PageSize::huge;
  const workloads::SweptCurves swept{.cycle = cpu_latency_probe::cycle,
                                     .independent = cpu_latency_probe::independent,
                                     .page = cpu_latency_probe::pages,
                                     .varied = words};
  const analysis::LatencyCurves curves = workloads::curves_of(known, words, request);
  if (curves.cycle.empty()) {
    return thinned(workloads::coarse_points(swept, device, request), huge ? least_bytes_of_huge : 0,
                   huge && quick ? 4 : 2, request);
  }
  if (!curves.independent.empty() || !curves.page.empty()) return {};
  // While time is short, the curve of small pages alone is looked at closer.
  if (quick && huge) return {};
  // Edges are looked at as loosely as those of the latency probe's further paths while time is short, and where the
  // same caches are walked once more.
  const bool once_more = huge && request.effort == Effort::normal;
  std::vector<Point> points = workloads::edge_points(swept, curves, device, request, !quick && !once_more);
  if (points.empty()) points = workloads::capacity_points(swept, curves, device, request);
  return points;
}

std::vector<Point> awake_points(const Words& words, const device::DeviceInfo& device, const Request& request) {
  std::vector<Point> points;
  const double last = workloads::largest_bytes(device, request);
  const double least = std::max(least_bytes_awake, static_cast<double>(request.smallest_bytes.value_or(0)));
  for (double bytes = last; bytes >= least; bytes /= 4)
    points.push_back(workloads::sized_point(request, cpu_latency_probe::cycle, words, bytes));
  return points;
}

double walked_bytes(const cpu::Topology& machine, int node) {
  // One core walks, and has one cluster's cache.
  cpu::Topology alone = machine;
  alone.cores = {*cpu::cores_of_node(machine, node).back()};
  return workloads::node_memory_bytes(alone, node);
}

}  // namespace

std::vector<Point> cpu_latency_points(const CpuVariants& variants, const device::DeviceInfo& device,
                                      const Request& request, std::span<const Measurement> known) {
  std::vector<Point> points;
  const auto add = [&points](const std::vector<Point>& more) { points.insert(points.end(), more.begin(), more.end()); };
  for (const measure::CoreKind kind : variants.kinds) {
    for (const bool huge : {false, true}) {
      Words words{.pages = page_size(huge), .state = MemoryState::asleep};
      if (variants.kinds.size() > 1) words.core = kind;
      if (!huge || variants.huge_pages) {
        add(swept_points(words, device, request, known));
      } else if (known.empty()) {
        points.push_back(workloads::sized_point(request, cpu_latency_probe::cycle, words,
                                                workloads::largest_bytes(device, request)));
      }
      const bool no_time = huge && request.effort == Effort::quick;
      if (!known.empty() || no_time || (huge && !variants.huge_pages)) continue;
      words.state = MemoryState::awake;
      std::vector<Point> awake = awake_points(words, device, request);
      if (!variants.further_core && !awake.empty()) awake.resize(1);
      add(awake);
    }
  }
  return points;
}

std::vector<Point> node_latency_points(const cpu::Topology& machine, bool huge_pages, const Request& request) {
  const Words words{.pages = page_size(huge_pages)};
  const std::vector<workloads::NodePair> pairs = workloads::node_pairs(machine);
  if (pairs.empty()) return {workloads::point_of_one_node(cpu_latency_probe::other_node, words, machine)};
  std::vector<Point> points;
  for (const workloads::NodePair& pair : pairs) {
    const double bytes = walked_bytes(machine, pair.from);
    if (!measure::is_asked_for(request, bytes)) continue;
    const Curve& curve = pair.from == pair.to ? cpu_latency_probe::same_node : cpu_latency_probe::other_node;
    const auto [from, to] = std::pair<double, double>(pair.from, pair.to);
    Point& point = points.emplace_back(point_on(curve, {.bytes = bytes, .from = from, .to = to}, words));
    point.expected_seconds = bytes / request.line_bytes * node_walk_seconds_a_line;
  }
  return points;
}

Workload node_walk(const cpu::Topology& machine, const Point& point, const Request& request) {
  if (!point.x.bytes) throw device::Unsupported(workloads::why_one_node());
  const workloads::NodePair pair = workloads::node_pair_of(point);
  // The walk is made on the last core, as the first ones serve most interrupts.
  const workloads::CpuPlace place{.core = *cpu::cores_of_node(machine, pair.from).back(),
                                  .pages = workloads::page_kind(point.words),
                                  .node = pair.to};
  Workload workload = workloads::cpu_cycle_chase(place, static_cast<std::uint32_t>(*point.x.bytes / request.line_bytes),
                                                 request.line_bytes, request.seed);
  if (workload.shape.at("pinned") == 0) throw device::Unsupported(workloads::why_not_unpinned(pair.from));
  return workload;
}

}  // namespace sonde::probes
