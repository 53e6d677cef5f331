// Question: how much longer does a load take while the rest of the device keeps the memory busy?
// docs/method/loaded-latency.md explains it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "measure/visits.hpp"
#include "probes/catalog.hpp"
#include "probes/loaded_latency/curves.hpp"
#include "probes/loaded_latency/plan.hpp"
#include "workloads/stream/stream.hpp"
#include "workloads/walk/chases.hpp"
#include "workloads/walk/single_item.hpp"

namespace sonde::probes {
namespace {

using workloads::StreamShape;

std::optional<std::string> obstacle(const device::DeviceInfo& device) {
  if (device.type == device::DeviceType::cpu && workloads::compute_units_of(device) < 2) {
    return "this CPU has one core, so nothing can run beside the walk: give the machine or container two or more";
  }
  return std::nullopt;
}

std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  if (known.empty()) return idle_points(device, request);
  const std::vector<Point> points = loaded_points_wanted(request, known);
  return points.empty() ? more_visits_to_findings(known) : points;
}

/// Each group reads a part of its own, where those of one compute unit are more than any nearest cache holds: then no
/// group finds in a cache what another has read. Smaller parts would be served by the nearest caches, so all groups
/// read all of the memory. A CPU's groups, which are few, do so at any size.
Sharing sharing_of_load(const device::DeviceInfo& device, std::uint64_t bytes) {
  constexpr std::uint64_t beyond_nearest_caches = 512 << 10;
  const bool beyond = bytes / workloads::compute_units_of(device) >= beyond_nearest_caches;
  return beyond && device.type != device::DeviceType::cpu ? Sharing::separate : Sharing::shared;
}

/// The fastest of the usual shapes, for all compute units but one core for the walk where cores are few.
StreamShape loading_shape(device::Device& device, Sharing sharing, std::uint64_t bytes) {
  StreamShape shape =
      workloads::search_shape(device, workloads::Pattern::read, sharing, bytes, workloads::SearchDepth::usual);
  shape.in_flight = 8;  // the longer a round, the less often a group looks whether the walk has ended
  shape.groups = std::max(2u, shape.groups);
  if (device.info().type == device::DeviceType::cpu)
    shape.groups = std::min(shape.groups, workloads::compute_units_of(device.info()));
  --shape.groups;
  // Each group needs a block of its own, as an L2 may read once what several groups want at the same moment.
  const auto blocks = [&] { return bytes / (std::uint64_t{shape.block_words()} * sizeof(std::uint32_t)); };
  while (shape.scattered && shape.in_flight > 1 && blocks() < shape.groups) shape.in_flight /= 2;
  return workloads::fitted(shape, sharing, bytes);
}

void conclude_on(double bytes, const char* where, std::span<const Measurement> measurements, Conclusion& conclusion) {
  const std::vector<LoadedPoint> points = loaded_points(measurements, bytes);
  if (points.size() < 2) return;
  const LoadedPoint& alone = points.back();
  const LoadedPoint& full = fullest(points);
  if (alone.gbps > 0 || full.gbps <= 0) return;
  const std::string load = fmt::format("In {} ({}) a load takes", size_text(bytes), where);
  const auto add = [&](const FindingKind& kind, const LoadedPoint& of, const std::string& evidence) {
    Finding finding{.kind = &kind,
                    .words = alone.measurement->point.words,
                    .unit = "ns",
                    .evidence = evidence + workloads::describe_disturbance(of.measurement->state)};
    set_value(finding, estimate(*of.measurement));
    conclusion.findings.push_back(finding);
  };
  add(workloads::idle_latency, alone, fmt::format("{} {:.3g} ns while nothing else runs.", load, alone.latency_ns));
  add(workloads::full_load_latency, full,
      fmt::format("{} {:.3g} ns while the other work-groups read {:.3g} GB/s, {:.2g} times as long as alone.", load,
                  full.latency_ns, full.gbps, full.latency_ns / alone.latency_ns));
}

Conclusion conclude(const Request&, std::span<const Measurement> measurements) {
  Conclusion conclusion;
  const LoadedSets sets = loaded_sets(measurements);
  if (sets.last_cache_bytes) conclude_on(*sets.last_cache_bytes, "the last cache", measurements, conclusion);
  conclude_on(sets.memory_bytes, "the largest set, memory", measurements, conclusion);
  return conclusion;
}

}  // namespace

Workload loaded_latency_probe::prepare_walk(device::Device& device, const Point& point, const Request& request) {
  const auto bytes = static_cast<std::uint64_t>(point.x.bytes.value());
  const auto count = static_cast<std::uint32_t>(bytes / request.line_bytes);
  workloads::BackgroundLoad load{.sharing = sharing_of_load(device.info(), bytes)};
  if (point.x.delay) {
    load.bytes = bytes;
    load.shape = point.shape.empty() ? loading_shape(device, load.sharing, bytes) : workloads::shape_of(point.shape);
    load.delay = static_cast<std::uint32_t>(*point.x.delay);
  } else {
    load.absent = true;
    load.sharing = Sharing::shared;
    load.shape = {.group_size = workloads::single_item_group(device.info())};
    load.bytes = std::uint64_t{load.shape.block_words()} * sizeof(std::uint32_t);
  }
  return workloads::chase_under_load(device, count, request.line_bytes, request.seed, load, loaded_latency_probe::load);
}

const Probe loaded_latency{
    .name = "loaded-latency",
    .question = "How much longer does a load take while the rest of the device keeps the memory busy?",
    .curves = loaded_latency_probe::curves,
    .finding_kinds = loaded_latency_probe::finding_kinds,
    .obstacle = obstacle,
    .next = next,
    .conclude = conclude,
    // The walk alone comes first.
    .total_to_first_batch_ratio = [](Effort effort) { return effort == Effort::quick ? 2.5 : 4.0; }};

}  // namespace sonde::probes
