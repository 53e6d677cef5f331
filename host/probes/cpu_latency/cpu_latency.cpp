// Question: how long does one dependent load take on the CPU itself, and how does that grow with the working set?
// docs/method/cpu-latency.md explains it.

#include "probes/cpu_latency/cpu_latency.hpp"

#include "measure/visits.hpp"
#include "probes/catalog.hpp"
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

/// The walk's curves on one kind of core and of pages.
workloads::SweptCurves swept_by(const Words& words) {
  return {.cycle = cpu_latency_probe::cycle,
          .independent = cpu_latency_probe::independent,
          .page = cpu_latency_probe::pages,
          .varied = words};
}

/// Half as many sizes as the latency probe's are enough for a curve that is looked at closer at its edges.
std::vector<Point> swept_points(const Words& words, const device::DeviceInfo& device, const Request& request) {
  constexpr double sizes_per_doubling = 2;
  const double asked = static_cast<double>(request.smallest_bytes.value_or(1024));
  const double most = workloads::largest_bytes(device, request);
  const double least = words.pages == PageSize::huge ? std::max(asked, std::min(least_bytes_of_huge, most)) : asked;
  return workloads::sweep(cpu_latency_probe::cycle, words, request, {least, most}, sizes_per_doubling);
}

/// A point of what cannot be had here, so that the record has the reason.
Point missing_point(const Words& words, const device::DeviceInfo& device, Request request) {
  request.look = Look::first;  // the same one at all looks
  return workloads::sized_point(request, cpu_latency_probe::cycle, words, workloads::largest_bytes(device, request));
}

/// Sizes of memory that is kept awake, the largest first.
std::vector<Point> awake_points(Words words, const CpuVariants& variants, const device::DeviceInfo& device,
                                const Request& request) {
  words.state = MemoryState::awake;
  const double least = std::max(least_bytes_awake, static_cast<double>(request.smallest_bytes.value_or(0)));
  const double most = workloads::largest_bytes(device, request);
  if (!variants.further_core && least <= most) return {missing_point(words, device, request)};
  std::vector<Point> points;
  for (double bytes = most; bytes >= least; bytes /= 4) {
    points.push_back(workloads::sized_point(request, cpu_latency_probe::cycle, words, bytes));
  }
  return points;
}

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
  return measure::first_new_points(
      request, known, [&] { return cpu_latency_points(variants_here(), device, request, known); },
      [&] { return node_latency_points(cpu::machine(), cpu::has_huge_pages(), request); });
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
    const auto curves = measure::readable_part(workloads::curves_of(ones, words, request), words, conclusion);
    if (!curves) continue;
    measure::add_levels(analysis::find_levels(*curves), words, conclusion);
  }
  conclusion.add(workloads::node_findings(measurements, cpu_latency_probe::node_latency, "a dependent load took"));
  return conclusion;
}

}  // namespace

std::vector<Point> cpu_latency_points(const CpuVariants& variants, const device::DeviceInfo& device,
                                      const Request& request, std::span<const Measurement> known) {
  // The points of each kind of core, by what a stage asks of one.
  const auto of_kinds = [&](bool huge, const auto& stage) {
    std::vector<Point> points;
    for (const measure::CoreKind kind : variants.kinds) {
      Words words{.pages = huge ? PageSize::huge : PageSize::small, .state = MemoryState::asleep};
      if (variants.kinds.size() > 1) words.core = kind;
      if (!huge || variants.huge_pages) {
        points = measure::joined(std::move(points), stage(words));
      } else {
        points.push_back(missing_point(words, device, request));
      }
    }
    return points;
  };
  const auto sweep = [&](const Words& words) { return swept_points(words, device, request); };
  const auto awake = [&](const Words& words) { return awake_points(words, variants, device, request); };
  Request at_first = request;
  at_first.look = Look::first;
  const auto edges = [&](const Words& words) {
    return workloads::edge_points(swept_by(words), workloads::curves_of(known, words, request), request, true,
                                  swept_points(words, device, at_first));
  };
  const auto capacities = [&](const Words& words) {
    return workloads::capacity_points(swept_by(words), workloads::curves_of(known, words, request), device, request,
                                      known);
  };
  // While there is little time, the curve of small pages alone is looked at closer.
  const bool closer = request.look != Look::first;
  return measure::first_new_points(
      request, known, [&] { return of_kinds(false, sweep); }, [&] { return of_kinds(false, edges); },
      [&] { return of_kinds(false, capacities); },
      [&] { return measure::joined(of_kinds(false, awake), of_kinds(true, sweep)); },
      [&] { return closer ? of_kinds(true, edges) : std::vector<Point>(); },
      [&] {
        return closer ? measure::joined(of_kinds(true, awake), of_kinds(true, capacities)) : std::vector<Point>();
      });
}

std::vector<Point> node_latency_points(const cpu::Topology& machine, bool huge_pages, const Request& request) {
  const Words words{.pages = huge_pages ? PageSize::huge : PageSize::small};
  const std::vector<workloads::NodePair> pairs = workloads::node_pairs(machine);
  if (pairs.empty()) return {workloads::point_of_one_node(cpu_latency_probe::other_node, words, machine)};
  std::vector<Point> points;
  for (const workloads::NodePair& pair : pairs) {
    // One core walks, and has one cluster's cache.
    cpu::Topology alone = machine;
    alone.cores = {*cpu::cores_of_node(machine, pair.from).back()};
    const double bytes = workloads::node_memory_bytes(alone, pair.from);
    if (!measure::is_asked_for(request, bytes)) continue;
    const Curve& curve = pair.from == pair.to ? cpu_latency_probe::same_node : cpu_latency_probe::other_node;
    const auto [from, to] = std::pair<double, double>(pair.from, pair.to);
    const double seconds = bytes / request.line_bytes * node_walk_seconds_a_line;
    points.push_back(point_on(curve, {.bytes = bytes, .from = from, .to = to}, words, seconds));
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

Workload cpu_latency_probe::prepare_cycle(device::Device&, const Point& point, const Request& request) {
  return workloads::cpu_cycle_chase(place_of(point.words), lines_of(point, request.line_bytes), request.line_bytes,
                                    request.seed);
}

Workload cpu_latency_probe::prepare_independent(device::Device&, const Point& point, const Request& request) {
  return workloads::cpu_independent_chase(place_of(point.words), lines_of(point, request.line_bytes),
                                          request.line_bytes, request.seed);
}

Workload cpu_latency_probe::prepare_pages(device::Device&, const Point& point, const Request& request) {
  const std::uint32_t lines = lines_of(point, request.page_bytes);
  return workloads::cpu_cycle_chase(place_of(point.words), lines,
                                    {request.page_bytes, request.line_bytes, lines, request.seed}, request.seed);
}

Workload cpu_latency_probe::prepare_between_nodes(device::Device&, const Point& point, const Request& request) {
  return node_walk(cpu::machine(), point, request);
}

const Probe cpu_latency{
    .name = "cpu-latency",
    .question = "How long does one dependent load take on the CPU itself, and how does that grow with the working set?",
    .target = Target::host_cpu,
    .curves = cpu_latency_probe::curves,
    .finding_kinds = cpu_latency_probe::finding_kinds,
    .obstacle = obstacle,
    .next = next,
    .conclude = conclude};

}  // namespace sonde::probes
