// Question: how much longer does a load take while the rest of the device keeps the memory busy?
//
// Experiment on a GPU: one work-group walks a random cycle (the latency probe's walk), and in the same dispatch the
// other groups read random words without end, until the walk leaves its sign. A delay between their rounds sets how
// much they move. The dispatch ends when the walk does, so its time is the walk's; what the groups moved they count in
// memory, and the sums of what they read prove it. Time and bytes are differences of a long and a short dispatch, free
// of the launch and of what it takes until all groups run. Both are measured in a working set in the last cache and in
// the largest, which is memory.
//
// Delays are chosen so that the points are spread over the bandwidth that was reached, not over the delay: no delay
// first, then whatever halves the widest gap. The walk alone is the point at 0 GB/s.
//
// On the CPU itself one pinned core walks, and other cores read, change or write past the caches: those that share its
// last cache, those of other clusters, those of other nodes. What they move they tell by marks in time, so that each
// window of the walk has the bandwidth that was reached meanwhile, and one in which a core was taken away counts not.
// The load's memory stands on the walk's node, wherever it is made: placement alone differs. All cores of a placement
// load, with delays as above, in memory and in caches; in memory 1, 2, 4, … of them too, as one core alone can keep
// another waiting.
//
// How to read the curve: flat as long as no request waits for another, then a knee, then a wall at the bandwidth that
// there is. On a GPU that lets memory sleep the walk alone may take longer than beside a little load.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "measure/visits.hpp"
#include "probes/catalog.hpp"
#include "probes/loaded_latency/cpu_findings.hpp"
#include "probes/loaded_latency/cpu_plan.hpp"
#include "probes/loaded_latency/cpu_walk.hpp"
#include "probes/loaded_latency/plan.hpp"
#include "workloads/walk/chases.hpp"
#include "workloads/stream/shape_search.hpp"
#include "workloads/walk/single_item.hpp"

namespace sonde::probes {
namespace {

using workloads::Shape;
using workloads::Sharing;

bool is_the_cpu_itself(const device::DeviceInfo& device) { return device.api == device::Api::cpu; }
bool is_of_the_cpu_itself(const Measurement& one) { return one.point.x.contains("cpu_threads"); }

std::optional<std::string> obstacle(const device::DeviceInfo& device) {
  if (device.type == device::DeviceType::cpu && workloads::compute_units_of(device) < 2) {
    return "this CPU has one core, so nothing can run beside the walk: give the machine or container two or more";
  }
  return std::nullopt;
}

std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  if (is_the_cpu_itself(device)) return cpu_load_points(cpu::machine(), request, known);
  if (known.empty()) return idle_points(device, request);
  const std::vector<Point> points = loaded_points_wanted(request, known);
  return points.empty() ? further_visits(known) : points;
}

/// Each group reads a part of its own, where those of one compute unit are more than any nearest cache holds: what one
/// group has read no other finds in a cache. Where they are less, the nearest caches would serve them, and all groups
/// read all of it. A CPU's groups do so at any size: they are few.
Sharing sharing_of_load(const device::DeviceInfo& device, std::uint64_t bytes) {
  constexpr std::uint64_t beyond_nearest_caches = 512 << 10;
  const bool beyond = bytes / workloads::compute_units_of(device) >= beyond_nearest_caches;
  return beyond && device.type != device::DeviceType::cpu ? Sharing::separate : Sharing::shared;
}

/// Reads as fast as the device can by one of the usual shapes, by all compute units but one core for the walk where
/// cores are few.
Shape loading_shape(device::Device& device, Sharing sharing, std::uint64_t bytes) {
  Shape shape =
      workloads::search_shape(device, workloads::Pattern::read, sharing, bytes, workloads::SearchDepth::usual);
  shape.in_flight = 8;  // a round: the more of it, the less often the sign is looked for
  shape.groups = std::max(2u, shape.groups);
  if (device.info().type == device::DeviceType::cpu)
    shape.groups = std::min(shape.groups, workloads::compute_units_of(device.info()));
  --shape.groups;
  // What several groups want at the same moment, an L2 may read once for all: there is a block for each.
  const auto blocks = [&] { return bytes / (std::uint64_t{shape.block_words()} * sizeof(std::uint32_t)); };
  while (shape.scattered && shape.in_flight > 1 && blocks() < shape.groups) shape.in_flight /= 2;
  return workloads::fitted(shape, sharing, bytes);
}

Workload prepare(device::Device& device, const Point& point, const Request& request) {
  if (is_the_cpu_itself(device.info())) return walk_beside_cpu_load(cpu::machine(), point, request);
  const auto bytes = static_cast<std::uint64_t>(point.x.at("bytes"));
  const auto count = static_cast<std::uint32_t>(bytes / request.line_bytes);
  workloads::BackgroundLoad load{.sharing = sharing_of_load(device.info(), bytes)};
  if (point.x.contains("delay")) {
    load.bytes = bytes;
    load.shape = point.shape.empty() ? loading_shape(device, load.sharing, bytes) : workloads::shape_of(point.shape);
    load.delay = static_cast<std::uint32_t>(point.x.at("delay"));
  } else {
    load.absent = true;
    load.sharing = Sharing::shared;
    load.shape = {.group_size = workloads::single_item_group(device.info())};
    load.bytes = std::uint64_t{load.shape.block_words()} * sizeof(std::uint32_t);
  }
  return workloads::chase_under_load(device, count, request.line_bytes, request.seed, load);
}

void conclude_on(double bytes, const char* where, std::span<const Measurement> measurements, Conclusion& conclusion) {
  const std::vector<LoadedPoint> points = loaded_points(measurements, bytes);
  if (points.size() < 2) return;
  const LoadedPoint& alone = points.back();
  const LoadedPoint& full = fullest(points);
  if (alone.gbps > 0 || full.gbps <= 0) return;
  const std::string load = fmt::format("In {} ({}) a load takes", size_text(bytes), where);
  const auto add = [&](const char* word, const LoadedPoint& of, const std::string& evidence) {
    Finding finding{.series = alone.measurement->point.series,
                    .name = word,
                    .unit = "ns",
                    .evidence = evidence + disturbance_of(of.measurement->state)};
    measure::state(finding, measure::estimate(*of.measurement));
    conclusion.findings.push_back(finding);
  };
  add("idle-latency", alone, fmt::format("{} {:.3g} ns while nothing else runs.", load, alone.latency_ns));
  add("full-load-latency", full,
      fmt::format("{} {:.3g} ns while the other work-groups read {:.3g} GB/s, {:.2g} times as long as alone.", load,
                  full.latency_ns, full.gbps, full.latency_ns / alone.latency_ns));
}

Conclusion conclude(const Request& request, std::span<const Measurement> measurements) {
  if (std::ranges::any_of(measurements, is_of_the_cpu_itself))
    return cpu_load_conclusion(cpu::machine(), request, measurements);
  Conclusion conclusion;
  const LoadedSets sets = loaded_sets(measurements);
  if (sets.last_cache_bytes) conclude_on(*sets.last_cache_bytes, "the last cache", measurements, conclusion);
  conclude_on(sets.memory_bytes, "the largest set, memory", measurements, conclusion);
  return conclusion;
}

}  // namespace

const Probe loaded_latency{
    .name = "loaded-latency",
    .question = "How much longer does a load take while the rest of the device keeps the memory busy?",
    .obstacle = obstacle,
    .next = next,
    .prepare = prepare,
    .conclude = conclude,
    // The walk alone comes first.
    .all_over_first = [](Effort effort) { return effort == Effort::quick ? 2.5 : 4.0; },
    .of_the_cpu_too = true};

}  // namespace sonde::probes
