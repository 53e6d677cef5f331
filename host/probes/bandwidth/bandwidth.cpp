// Question: how many gigabytes a second does each level of the memory deliver, and take?
//
// Experiment: all work-groups move a working set again and again, with wide loads of which several are in flight. Each
// group has a part of its own (sharing private), so the nearest caches of all compute units add up, or walks over all
// of it from a start of its own (sharing shared). Patterns: read; write; copy, C = A; add, C = A + B; triad, C = A + 3
// B (32-bit integers, so that results are exact). The words are random: nothing is compressed, no two lines are alike.
// What was read is added up and compared; what was written is looked at in pieces after every dispatch and as a whole
// after some. The bytes counted are those that the program moves, all arrays together; a working set is all arrays
// together too. A cache that fetches a line before it is written moves half as much again, or as much, unseen.
//
// Which shape is fast is a device's own: many items side by side on a GPU, one item a core with the widest loads on a
// CPU. A search at a few working sets comes first: it is part of preparing these points, whose records say in
// `state.shape` what was found, and the points of the sweeps carry the nearest of these. So shapes that were only tried
// leave no curves, and the probe keeps no state. A search asks no clock but the device's, and is bounded by the number
// of shapes and the device time of each, so that a simulated device answers alike every time.
//
// Then, in each flat stretch, fewer and fewer groups: how many it takes to get all of it.
//
// How to read the curve: it falls in steps as the working set outgrows level after level; each flat stretch is what
// that level delivers. Small working sets may be slower than the first level can be, as each group has little to do.
// Bandwidth over groups climbs as long as each of them asks for what it can, and is flat once the level gives all it
// has.

#include <algorithm>
#include <iterator>
#include <string>

#include "analysis/levels/levels.hpp"
#include "cpu/topology.hpp"
#include "device/error.hpp"
#include "probes/bandwidth/curve.hpp"
#include "probes/bandwidth/empty_dispatch.hpp"
#include "probes/bandwidth/launch.hpp"
#include "probes/bandwidth/plan.hpp"
#include "probes/bandwidth/plausibility.hpp"
#include "probes/bandwidth/scaling.hpp"
#include "probes/catalog.hpp"
#include "workloads/stream/shape_search.hpp"
#include "workloads/stream/stream.hpp"

namespace sonde::probes {
namespace {

using workloads::Pattern;
using workloads::SearchDepth;
using workloads::Sharing;

std::optional<std::string> obstacle(const device::DeviceInfo&) { return std::nullopt; }

std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  if (known.empty()) {
    const std::vector<Point> searches = search_points(device, request);
    return searches.empty() ? sweep_points(device, request, known) : searches;
  }
  const bool swept = std::ranges::any_of(known, [](const Measurement& one) { return !one.point.shape.empty(); });
  if (!swept) return sweep_points(device, request, known);
  // Not from the beginning again once the sweep is over.
  const bool over = std::ranges::any_of(known, [](const Measurement& one) { return is_scaling(one.point); });
  const std::vector<Point> closer = over ? std::vector<Point>() : closer_points(device, request, known);
  return closer.empty() ? scaling_points(device, request, known) : closer;
}

/// Where the working set asked for cannot be cut into whole blocks, it says which can.
void check_asked_for(const Request& request, const Point& point) {
  if (asked_for(request, point)) return;
  const workloads::PatternFacts& facts = workloads::facts_of(workloads::pattern_of(point.series));
  const std::string whose = workloads::sharing_of(point.series) == Sharing::shared ? "array" : "compute unit";
  const std::string arrays = facts.arrays > 1 ? "'s " + std::to_string(facts.arrays) + " arrays" : "";
  throw device::Unsupported("no size within --sizes gives each " + whose + " whole blocks of " + std::string(facts.name) +
                         arrays + "; " + size_text(point.x.at("bytes")) + " would be one");
}

/// Whether every line that is written is known to be fetched before: on a CPU, whose kernels store as any program does,
/// where no cache can have kept the line.
bool fetches_what_it_writes(const device::DeviceInfo& device, Pattern pattern, std::uint64_t bytes) {
  constexpr std::uint64_t far_beyond = 2;
  if (device.type != device::DeviceType::cpu || !workloads::facts_of(pattern).writes) return false;
  const std::uint64_t caches = cpu::furthest_caches_bytes(cpu::machine());
  return caches > 0 && bytes > far_beyond * caches;
}

Workload prepare(device::Device& device, const Point& point, const Request& request) {
  if (!point.x.contains("bytes")) return empty_dispatch(device, workloads::shape_of(point.shape));
  check_asked_for(request, point);
  const Pattern pattern = workloads::pattern_of(point.series);
  const Sharing sharing = workloads::sharing_of(point.series);
  const auto bytes = static_cast<std::uint64_t>(point.x.at("bytes"));
  const bool other_path = workloads::facts_of(pattern).path != "buffer";
  const auto depth = other_path                        ? SearchDepth::usual
                     : request.effort == Effort::quick ? SearchDepth::once
                                                       : SearchDepth::full;
  const workloads::Shape shape = point.shape.empty() ? workloads::search_shape(device, pattern, sharing, bytes, depth)
                                                     : workloads::fitted(workloads::shape_of(point.shape), sharing,
                                                                         bytes / workloads::facts_of(pattern).arrays);
  Workload work = workloads::stream(device, pattern, sharing, shape, bytes, request.seed);
  if (fetches_what_it_writes(device.info(), pattern, bytes)) {
    const double more = 1 + 1.0 / workloads::facts_of(pattern).arrays;
    work.also.push_back(
        {.series = {{"bytes-counted", "bus"}},
         .unit = work.unit,
         .value = [value = work.value, more](double nanoseconds) { return more * value(nanoseconds); }});
  }
  return work;
}

void find_levels(const Request& request, std::span<const Measurement> measurements, Conclusion& conclusion) {
  const std::vector<analysis::CurvePoint> curve = curve_of(best_points(measurements, series_of_levels()));
  int number = 0;
  for (const analysis::BandwidthLevel& level : analysis::find_bandwidth_levels(curve, request.line_bytes)) {
    conclusion.levels.push_back({.series = series_of_levels(),
                                 .level = ++number,
                                 .found = {.bytes = level.bytes,
                                           .onset_bytes = level.onset_bytes,
                                           .end_bytes = level.end_bytes,
                                           .latency_ns = {}},
                                 .cycles = std::nullopt,
                                 .gbps = level.gbps});
  }
}

Conclusion conclude(const Request& request, std::span<const Measurement> measurements) {
  Conclusion conclusion;
  find_levels(request, measurements, conclusion);
  if (auto found = launch(measurements)) conclusion.findings.push_back(*std::move(found));
  std::ranges::move(more_than_from_nearer(measurements), std::back_inserter(conclusion.findings));
  std::ranges::move(more_than_memory_moves(measurements, conclusion.levels), std::back_inserter(conclusion.findings));
  std::ranges::move(saturations(measurements), std::back_inserter(conclusion.findings));
  return conclusion;
}

}  // namespace

const Probe bandwidth{.name = "bandwidth",
                      .question = "How many gigabytes a second does each level of the memory deliver, and take?",
                      .obstacle = obstacle,
                      .next = next,
                      .prepare = prepare,
                      .conclude = conclude,
                      .stated = more_than_units_take,
                      // Searches come first.
                      .all_over_first = [](Effort effort) { return effort == Effort::quick ? 1.6 : 4.0; }};

}  // namespace sonde::probes
