// Question: how long does one dependent load take, and how does that grow with the working set?
//
// Experiment: the working set is cut into cache lines, which a random single cycle joins. One work-item walks it: each
// load's address is the value of the load before, so nothing overlaps. The walk never restarts: a dispatch begins where
// the last one ended, so no line comes again before all others have. One lap is walked before anything is timed. The
// end of every dispatch is checked against the cycle. Sizes come four a doubling, then closer about every edge. Two
// further walks tell what an edge is: over uniformly random lines the share of hits is the cache's size over the
// working set, whatever its policy (order independent); with one line a page an edge that stays is address translation
// (order page). GPUs have pages of many sizes: as many lines, ever further apart, touch ever more of them, but fill the
// caches alike (stride). On GPUs the walk is made again while other work-groups read a light stream, since a lone walk
// lets memory and the way to it fall asleep (fabric loaded): levels have the latencies of that walk. Then the other
// paths to the same memory: by an address that is the same for all (scalar), from constant memory, through the texture
// unit (image), from a work-group's own memory (local), and with an atomic at every hop.
//
// How to read the curve: flat stretches are levels of the memory hierarchy, the rises between them are where a level
// is full. Least recently used replacement rises at once, other policies over a range of sizes.

#include <algorithm>
#include <iterator>
#include <map>

#include "analysis/levels/levels.hpp"
#include "device/error.hpp"
#include "measure/conclude_levels.hpp"
#include "probes/catalog.hpp"
#include "probes/latency/further_paths.hpp"
#include "workloads/walk/chases.hpp"
#include "workloads/walk/latency_sweep.hpp"
#include "workloads/walk/page_walks.hpp"

namespace sonde::probes {
namespace {

using workloads::Fabric;
using workloads::Path;

/// 2^32 words of 32 bits; beyond them an index would start again at zero.
constexpr double reach_of_indices_bytes = 0x1p34;

std::optional<std::string> obstacle(const device::DeviceInfo&) { return std::nullopt; }

std::vector<Point> vector_points(const device::DeviceInfo& device, const Request& request,
                                 std::span<const Measurement> known) {
  const analysis::LatencyCurves curves = workloads::curves_of(known, Path::vector, request);
  if (curves.cycle.empty()) return workloads::coarse_points(device, request);
  if (!curves.independent.empty() || !curves.page.empty()) return {};
  std::vector<Point> points = workloads::edge_points(curves, device, request);
  std::ranges::move(workloads::further_points(curves, device, request), std::back_inserter(points));
  return points.empty() ? workloads::capacity_points(curves, device, request) : points;
}

/// A CPU that stands for a GPU has pages of 4 KiB, which the walk about its edges shows.
bool has_pages_of_its_own(const device::DeviceInfo& device, const Request& request) {
  return device.type != device::DeviceType::cpu || request.effort == Effort::thorough;
}

/// The vector path first; then the same with memory kept awake, and the other paths, whose edges are only looked at
/// closer where there is time.
std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  std::vector<Point> points = vector_points(device, request, known);
  if (!points.empty()) return points;
  const analysis::LatencyCurves alone = workloads::curves_of(known, Path::vector, request);
  if (!alone.cycle.empty() && workloads::curves_of(known, Path::vector, request, Fabric::loaded).cycle.empty()) {
    Request as_far = request;
    as_far.largest_bytes = static_cast<std::uint64_t>(alone.cycle.back().bytes);
    points = points_kept_awake(device, as_far, alone);
  }
  if (!alone.cycle.empty() && has_pages_of_its_own(device, request)) {
    std::ranges::move(workloads::page_walks(alone, device, request), std::back_inserter(points));
  }
  for (const Path path : further_paths()) {
    const analysis::LatencyCurves curves = workloads::curves_of(known, path, request);
    std::vector<Point> more;
    if (curves.cycle.empty()) {
      more = path_points(path, device, request);
    } else if (request.effort != Effort::quick && path != Path::atomic) {
      more = workloads::edge_points(curves, device, request, path);
    }
    points.insert(points.end(), more.begin(), more.end());
  }
  return points;
}

Workload prepare(device::Device& device, const Point& point, const Request& request) {
  const double bytes = point.x.at("bytes");
  if (bytes > reach_of_indices_bytes) {
    throw device::Unsupported("the walk's 32-bit indices reach " + size_text(reach_of_indices_bytes) +
                           "; larger working sets are not measured");
  }
  const Path path = workloads::path_of(point.series);
  if (workloads::fabric_of(point.series) == Fabric::loaded) {
    return workloads::cycle_chase_awake(device, static_cast<std::uint32_t>(bytes / request.line_bytes),
                                        request.line_bytes, request.seed);
  }
  const auto order = point.series.find("order");
  if (order != point.series.end() && order->second == "independent") {
    const auto lines = static_cast<std::uint32_t>(bytes / request.line_bytes);
    return workloads::independent_chase(device, lines, request.line_bytes, request.seed);
  }
  if (order != point.series.end()) {
    const std::uint32_t stride_bytes = workloads::stride_bytes_of(point.series, request.page_bytes);
    const auto lines = static_cast<std::uint32_t>(bytes / stride_bytes);
    return workloads::cycle_chase(
        device, lines, workloads::LineLayout(stride_bytes, request.line_bytes, lines, request.seed), request.seed);
  }
  return workloads::cycle_chase(device, static_cast<std::uint32_t>(bytes / request.line_bytes), request.line_bytes,
                                request.seed, path);
}

/// What one path's curves say; `series` is the cycle's. Sizes come from the walk with nothing beside it, latencies from
/// the one measured with memory awake, where there is one.
void conclude(std::span<const Measurement> measurements, std::map<std::string, std::string> series,
              const Request& request, Conclusion& conclusion) {
  const Path path = workloads::path_of(series);
  const analysis::LatencyCurves asleep = workloads::curves_of(measurements, path, request);
  const analysis::LatencyCurves awake = workloads::curves_of(measurements, path, request, Fabric::loaded);
  const analysis::LatencyCurves& curves = asleep.cycle.empty() ? awake : asleep;
  if (const auto reason = measure::why_not_read(curves)) {
    conclusion.unread.push_back({.series = series, .reason = *reason});
    return;
  }
  analysis::Hierarchy hierarchy = analysis::find_levels(curves);
  if (!awake.cycle.empty()) {
    hierarchy.levels = analysis::awake_latency(hierarchy.levels, asleep.cycle, awake.cycle);
    series["fabric"] = "loaded";
  }
  measure::add_levels(hierarchy, series, conclusion);
}

Conclusion conclude(const Request& request, std::span<const Measurement> measurements) {
  std::map<std::map<std::string, std::string>, std::vector<Measurement>> by_series;
  for (const Measurement& one : measurements) {
    const std::map<std::string, std::string> series = workloads::hierarchy_series(one.point.series);
    // An atomic's few sizes tell its latency, not where a cache ends.
    if (workloads::path_of(series) != Path::atomic) by_series[series].push_back(one);
  }
  Conclusion conclusion;
  for (const auto& [series, ones] : by_series) {
    conclude(ones, series, request, conclusion);
  }
  return conclusion;
}

}  // namespace

const Probe latency{.name = "latency",
                    .question = "How long does one dependent load take, and how does that grow with the working set?",
                    .obstacle = obstacle,
                    .next = next,
                    .prepare = prepare,
                    .conclude = conclude,
                    // Edges, further walks, other paths.
                    .all_over_first = [](Effort effort) { return effort == Effort::quick ? 3.0 : 5.0; }};

}  // namespace sonde::probes
