// Question: how long does one dependent load take on the CPU itself, and how does that grow with the working set?
//
// Experiment: the walk of the latency probe as native code: a thread that is kept on one core follows pointers through
// a random single cycle over cache lines. No driver is between, so this is what programs meet, and what the same walk
// through OpenCL or Vulkan on this CPU can be held against. Once on small pages and once on huge ones, as address
// translation is part of the first (the range alone is asked for them, not the system); and in large working sets again
// while another core reads a light stream, because a lone walk can let the memory controller fall asleep. On processors
// with several kinds of cores all that on each kind. Where there are several NUMA nodes, a core of each also walks
// through the memory of each.
//
// How to read the curve: as the latency probe's. What the curve of huge pages lies below the other is translation.
// The matrix of nodes has on its diagonal what a node's own memory takes; what is beside it adds the way between two.

#include <map>
#include <optional>

#include "analysis/statistics.hpp"
#include "cpu/region.hpp"
#include "cpu/topology.hpp"
#include "device/error.hpp"
#include "measure/conclude_levels.hpp"
#include "probes/catalog.hpp"
#include "probes/cpu_latency/nodes.hpp"
#include "probes/cpu_latency/plan.hpp"
#include "workloads/cpu/cpu_walk.hpp"
#include "workloads/walk/latency_sweep.hpp"
#include "workloads/cpu/node_pairs.hpp"
#include "workloads/walk/path.hpp"

namespace sonde::probes {
namespace {

using workloads::CpuPlace;

std::optional<std::string> obstacle(const device::DeviceInfo& device) {
  if (device.api == device::Api::cpu) return std::nullopt;
  if (device.type == device::DeviceType::model) return "a simulated GPU has no CPU whose caches could be walked";
  return "this is asked of the CPU itself, not through a driver";
}

CpuVariants variants_here() {
  return {.kinds = cpu::machine().kinds,
          .huge_pages = cpu::has_huge_pages(),
          .further_core = cpu::machine().cores.size() > 1};
}

std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  std::vector<Point> points = cpu_latency_points(variants_here(), device, request, known);
  if (known.empty()) {
    for (const Point& point : node_latency_points(cpu::machine(), cpu::has_huge_pages(), request))
      points.push_back(point);
  }
  return points;
}

CpuPlace place_of(const std::map<std::string, std::string>& series) {
  const cpu::Topology& machine = cpu::machine();
  int kind = 0;
  for (std::size_t one = 0; one < machine.kinds.size(); ++one) {
    const auto word = series.find("core");
    if (word != series.end() && machine.kinds[one] == word->second) kind = static_cast<int>(one);
  }
  CpuPlace place{.core = quiet_core(machine, kind),
                 .pages = series.at("pages") == "huge" ? cpu::PageKind::huge : cpu::PageKind::small,
                 .awake_by = std::nullopt};
  if (series.at("state") == "awake") {
    const std::vector<cpu::Core> others = beside(machine, place.core);
    if (others.empty()) {
      throw device::Unsupported("this process may use one core only, so nothing can keep memory awake beside the walk");
    }
    place.awake_by = others.front();
  }
  return place;
}

Workload prepare(device::Device&, const Point& point, const Request& request) {
  if (workloads::is_of_nodes(point.series)) return node_walk(cpu::machine(), point, request);
  const CpuPlace place = place_of(point.series);
  const double bytes = point.x.at("bytes");
  const auto lines = static_cast<std::uint32_t>(bytes / request.line_bytes);
  const auto order = point.series.find("order");
  if (order == point.series.end()) return workloads::cpu_cycle_chase(place, lines, request.line_bytes, request.seed);
  if (order->second == "independent")
    return workloads::cpu_independent_chase(place, lines, request.line_bytes, request.seed);
  const auto pages = static_cast<std::uint32_t>(bytes / request.page_bytes);
  return workloads::cpu_cycle_chase(
      place, pages, workloads::LineLayout(request.page_bytes, request.line_bytes, pages, request.seed), request.seed);
}

/// Sizes a doubling apart say that there is a level, not where it ends.
bool is_too_coarse(const std::vector<analysis::CurvePoint>& cycle) {
  constexpr double most_apart = 1.6;
  std::vector<double> apart;
  for (std::size_t i = 1; i < cycle.size(); ++i) apart.push_back(cycle[i].bytes / cycle[i - 1].bytes);
  return !apart.empty() && analysis::quantile(apart, 0.5) > most_apart;
}

Conclusion conclude(const Request& request, std::span<const Measurement> measurements) {
  Conclusion conclusion;
  std::map<std::map<std::string, std::string>, std::vector<Measurement>> by_series;
  for (const Measurement& one : measurements) {
    if (workloads::is_of_nodes(one.point.series)) continue;
    const std::map<std::string, std::string> series = workloads::hierarchy_series(one.point.series);
    // A few large sizes show no levels.
    const auto state = series.find("state");
    if (state == series.end() || state->second == "asleep") by_series[series].push_back(one);
  }
  for (const auto& [series, ones] : by_series) {
    const analysis::LatencyCurves curves = workloads::curves_of(ones, workloads::Path::vector, request);
    if (const auto reason = measure::why_not_read(curves)) {
      conclusion.unread.push_back({.series = series, .reason = *reason});
    } else if (is_too_coarse(curves.cycle)) {
      conclusion.unread.push_back(
          {.series = series,
           .reason =
               "no levels are read from this curve, as its sizes are a doubling apart; --effort normal has more"});
    } else {
      measure::add_levels(analysis::find_levels(curves), series, conclusion);
    }
  }
  for (const Finding& finding : workloads::node_findings(measurements, "node-latency", "ns", "a dependent load took"))
    conclusion.findings.push_back(finding);
  return conclusion;
}

}  // namespace

const Probe cpu_latency{
    .name = "cpu-latency",
    .question = "How long does one dependent load take on the CPU itself, and how does that grow with the working set?",
    .obstacle = obstacle,
    .next = next,
    .prepare = prepare,
    .conclude = conclude,
    .all_over_first = [](Effort effort) { return effort == Effort::quick ? 1.2 : 2.5; },
    .of_the_cpu = true};

}  // namespace sonde::probes
