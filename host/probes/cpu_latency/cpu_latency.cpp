// Question: how long does one dependent load take on the CPU itself, and how does that grow with the working set?
// docs/method/cpu-latency.md explains it.

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/statistics.hpp"
#include "cpu/region.hpp"
#include "cpu/topology.hpp"
#include "device/error.hpp"
#include "measure/level_findings.hpp"
#include "probes/catalog.hpp"
#include "probes/cpu_latency/curves.hpp"
#include "probes/cpu_latency/plan.hpp"
#include "workloads/cpu/cpu_walk.hpp"
#include "workloads/cpu/node_pairs.hpp"
#include "workloads/walk/latency_sweep.hpp"

namespace sonde::probes {
namespace cpu_latency_probe {
namespace {

std::optional<std::string> obstacle(const device::DeviceInfo& device) {
  if (device.api == device::Api::cpu) return std::nullopt;
  if (device.type == device::DeviceType::model) return "a simulated GPU has no CPU whose caches could be walked";
  return "this is asked of the CPU itself, not through a driver";
}

CpuVariants variants_here() {
  const cpu::Topology& machine = cpu::machine();
  CpuVariants variants{.huge_pages = cpu::has_huge_pages(), .further_core = machine.cores.size() > 1};
  for (const std::string& kind : machine.kinds)
    variants.kinds.push_back(measure::parse_words("cpu-latency", {{"core", kind}}).core.value());
  return variants;
}

std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  std::vector<Point> points = cpu_latency_points(variants_here(), device, request, known);
  if (known.empty()) {
    for (const Point& point : node_latency_points(cpu::machine(), cpu::has_huge_pages(), request))
      points.push_back(point);
  }
  return points;
}

workloads::CpuPlace place_of(const Words& words) {
  const cpu::Topology& machine = cpu::machine();
  const auto kind =
      words.core ? std::ranges::find(machine.kinds, measure::word_of(*words.core)) : machine.kinds.begin();
  const auto index = kind == machine.kinds.end() ? 0 : static_cast<int>(kind - machine.kinds.begin());
  workloads::CpuPlace place{.core = cpu::quiet_core(machine, index), .pages = workloads::page_kind(words)};
  if (words.state == MemoryState::awake) {
    const std::vector<cpu::Core> others = cpu::other_cores(machine, place.core);
    if (others.empty()) {
      throw device::Unsupported("this process may use one core only, so nothing can keep memory awake beside the walk");
    }
    place.awake_by = others.front();
  }
  return place;
}

std::uint32_t lines_of(const Point& point, std::uint32_t bytes_apart) {
  return static_cast<std::uint32_t>(point.x.bytes.value() / bytes_apart);
}

/// Whether sizes are about a doubling apart: these say that there is a level, not where it ends.
bool is_too_coarse(const std::vector<analysis::CurvePoint>& cycle) {
  constexpr double most_apart = 1.6;
  std::vector<double> apart;
  for (std::size_t i = 1; i < cycle.size(); ++i) apart.push_back(cycle[i].bytes / cycle[i - 1].bytes);
  return !apart.empty() && analysis::quantile(apart, 0.5) > most_apart;
}

Conclusion conclude(const Request& request, std::span<const Measurement> measurements) {
  Conclusion conclusion;
  std::map<Words, std::vector<Measurement>> by_hierarchy;
  for (const Measurement& one : measurements) {
    const Words words = workloads::hierarchy_words(one.point.words);
    // A few large sizes, at which memory is kept awake, show no levels.
    if (!workloads::is_of_nodes(words) && words.state.value_or(MemoryState::asleep) == MemoryState::asleep)
      by_hierarchy[words].push_back(one);
  }
  for (const auto& [words, ones] : by_hierarchy) {
    const analysis::LatencyCurves curves = workloads::curves_of(ones, words, request);
    if (const auto reason = measure::why_not_read(curves)) {
      conclusion.without_levels.push_back({.words = words, .reason = *reason});
    } else if (is_too_coarse(curves.cycle)) {
      conclusion.without_levels.push_back(
          {.words = words,
           .reason =
               "no levels are read from this curve, as its sizes are a doubling apart; --effort normal has more"});
    } else {
      measure::add_levels(analysis::find_levels(curves), words, conclusion);
    }
  }
  for (const Finding& finding : workloads::node_findings(measurements, node_latency, "ns", "a dependent load took"))
    conclusion.findings.push_back(finding);
  return conclusion;
}

}  // namespace

Workload prepare_cycle(device::Device&, const Point& point, const Request& request) {
  return workloads::cpu_cycle_chase(place_of(point.words), lines_of(point, request.line_bytes), request.line_bytes,
                                    request.seed);
}

Workload prepare_independent(device::Device&, const Point& point, const Request& request) {
  return workloads::cpu_independent_chase(place_of(point.words), lines_of(point, request.line_bytes),
                                          request.line_bytes, request.seed);
}

Workload prepare_pages(device::Device&, const Point& point, const Request& request) {
  const std::uint32_t lines = lines_of(point, request.page_bytes);
  return workloads::cpu_cycle_chase(place_of(point.words), lines,
                                    {request.page_bytes, request.line_bytes, lines, request.seed}, request.seed);
}

Workload prepare_between_nodes(device::Device&, const Point& point, const Request& request) {
  return node_walk(cpu::machine(), point, request);
}

}  // namespace cpu_latency_probe

const Probe cpu_latency{
    .name = "cpu-latency",
    .question = "How long does one dependent load take on the CPU itself, and how does that grow with the working set?",
    .target = Target::host_cpu,
    .curves = cpu_latency_probe::curves,
    .finding_kinds = cpu_latency_probe::finding_kinds,
    .obstacle = cpu_latency_probe::obstacle,
    .next = cpu_latency_probe::next,
    .conclude = cpu_latency_probe::conclude,
    .total_to_first_batch_ratio = [](Effort effort) { return effort == Effort::quick ? 1.2 : 2.5; }};

}  // namespace sonde::probes
