// Question: how long does one dependent load take, and how does that grow with the working set?
// docs/method/latency.md explains it.

#include "probes/latency/latency.hpp"

#include "measure/visits.hpp"
#include "probes/catalog.hpp"
#include "workloads/walk/chases.hpp"
#include "workloads/walk/latency_sweep.hpp"

namespace sonde::probes {
namespace latency_probe {
namespace {

using measure::Fabric;

/// 2^32 words of 32 bits; beyond them an index would start again at zero.
constexpr double reach_of_indices_bytes = 0x1p34;

constexpr double smallest_bytes = 1024;
/// An atomic operation goes past the caches that are not shared: its latency changes in few places.
constexpr double smallest_atomic_bytes = 4096;

workloads::SweptCurves swept_by(const Words& path) {
  return {.cycle = path.pattern ? atomic : cycle, .independent = independent, .page = pages, .varied = path};
}

double limit_of(const Words& path, const device::DeviceInfo& device, const Request& request) {
  const double largest = workloads::largest_bytes(device, request);
  if (path.path == Path::constant) return std::min(largest, static_cast<double>(device.constant_bytes));
  if (path.path == Path::image) return std::min(largest, static_cast<double>(device.texel_bytes));
  if (path.path == Path::local)
    return std::min(largest, static_cast<double>(std::min(device.local_bytes, workloads::local_walk_bytes)));
  return largest;
}

/// Half as many sizes as on the vector path, whose levels these paths are compared with, but at the closest look.
double sizes_per_doubling(const Words& path, Look look) {
  if (path.path == Path::local) return 0.5;
  if (path.pattern) return look == Look::first ? 0.25 : 0.5;
  return look == Look::closest ? 4 : 2;
}

/// Working sets on one curve of a path, up to what the device allows it; where it allows none a single one, so that the
/// record has its reason.
std::vector<Point> path_points(const Curve& curve, const Words& path, const device::DeviceInfo& device,
                               const Request& request) {
  const double asked = request.smallest_bytes ? static_cast<double>(*request.smallest_bytes) : smallest_bytes;
  const double least = path.pattern
                           ? std::max(asked, std::min(smallest_atomic_bytes, workloads::largest_bytes(device, request)))
                           : asked;
  const double most = limit_of(path, device, request);
  if (most == 0) return {workloads::sized_point(request, curve, path, least)};
  return workloads::sweep(curve, path, request, {least, most}, sizes_per_doubling(path, request.look));
}

/// Working sets of the vector path beside a light stream: those at which the levels of `alone`, the walk with nothing
/// beside it, have room for both. None on CPUs, where any other work disturbs the walk's core.
std::vector<Point> points_kept_awake(const device::DeviceInfo& device, Request request,
                                     const analysis::LatencyCurves& alone) {
  if (device.type == device::DeviceType::cpu || alone.cycle.empty()) return {};
  request.largest_bytes = static_cast<std::uint64_t>(alone.cycle.back().bytes);
  const analysis::Hierarchy hierarchy = analysis::find_levels(alone);
  const std::vector<analysis::SizeRange> ranges = analysis::room_for_walk_and_stream(hierarchy.levels);
  std::vector<Point> points = path_points(cycle_awake, vector_path, device, request);
  std::erase_if(points, [&](const Point& point) {
    return std::ranges::none_of(ranges, [&](const auto& range) { return range.holds(*point.x.bytes); });
  });
  return points;
}

/// The walks over pages. A CPU that stands for a GPU has pages of 4 KiB, which the walk about its edges shows.
std::vector<Point> points_over_pages(const device::DeviceInfo& device, const Request& request,
                                     const analysis::LatencyCurves& alone) {
  const bool shown_elsewhere = device.type == device::DeviceType::cpu && request.look != Look::closest;
  if (alone.cycle.empty() || shown_elsewhere) return {};
  return workloads::page_walks(swept_by(vector_path), alone, device, request);
}

/// The vector path first, its edges before what else tells of them, and sizes beyond the sweep, which cost most; then
/// the same with memory kept awake, and the other paths, whose edges are only looked at closer beyond the first look.
std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  const workloads::SweptCurves swept = swept_by(vector_path);
  Request at_first = request;
  at_first.look = Look::first;
  const analysis::LatencyCurves alone = workloads::curves_of(known, vector_path, request);
  return measure::first_new_points(
      request, known, [&] { return workloads::coarse_points(swept, device, request); },
      [&] {
        return workloads::edge_points(swept, alone, request, true, workloads::coarse_points(swept, device, at_first));
      },
      // Whether the curve still rises beyond its end is worth more than how large the caches before it are.
      [&] { return workloads::further_points(swept, alone, device, request, 1); },
      [&] { return workloads::capacity_points(swept, alone, device, request, known); },
      [&] { return workloads::further_points(swept, alone, device, request, 4); },
      [&] {
        std::vector<Point> points = points_kept_awake(device, request, alone);
        for (const Words& path : further_paths)
          points = measure::joined(std::move(points), path_points(swept_by(path).cycle, path, device, request));
        return points;
      },
      [&] { return points_over_pages(device, request, alone); },
      [&] {
        std::vector<Point> points;
        for (const Words& path : further_paths) {
          if (request.look == Look::first || path.pattern) continue;
          points = measure::joined(std::move(points),
                                   workloads::edge_points(swept_by(path), workloads::curves_of(known, path, request),
                                                          request, request.look == Look::closest));
        }
        return points;
      });
}

/// Lines of a point's working set, so many bytes apart.
std::uint32_t lines_of(const Point& point, std::uint32_t bytes_apart) {
  const double bytes = point.x.bytes.value();
  if (bytes > reach_of_indices_bytes) {
    throw device::Unsupported("the walk's 32-bit indices reach " + size_text(reach_of_indices_bytes) +
                              "; larger working sets are not measured");
  }
  return static_cast<std::uint32_t>(bytes / bytes_apart);
}

/// Adds what one hierarchy's curves say; `words` are the cycle's. Sizes come from the walk with nothing beside it,
/// latencies from the one measured with memory awake, where there is one.
void conclude_hierarchy(std::span<const Measurement> measurements, Words words, const Request& request,
                        Conclusion& conclusion) {
  const analysis::LatencyCurves asleep = workloads::curves_of(measurements, words, request);
  const analysis::LatencyCurves awake = workloads::curves_of(measurements, words, request, Fabric::loaded);
  const auto curves = measure::readable_part(asleep.cycle.empty() ? awake : asleep, words, conclusion);
  if (!curves) return;
  analysis::Hierarchy hierarchy = analysis::find_levels(*curves);
  if (!awake.cycle.empty()) {
    hierarchy.levels = analysis::awake_latency(hierarchy.levels, curves->cycle, awake.cycle);
    words.fabric = Fabric::loaded;
  }
  measure::add_levels(hierarchy, words, conclusion);
}

Conclusion conclude(const Request& request, std::span<const Measurement> measurements) {
  std::map<Words, std::vector<Measurement>> by_hierarchy;
  for (const Measurement& one : measurements) {
    // An atomic operation's few sizes tell its latency, not where a cache ends.
    if (!one.point.words.pattern) by_hierarchy[workloads::hierarchy_words(one.point.words)].push_back(one);
  }
  Conclusion conclusion;
  for (const auto& [words, ones] : by_hierarchy) conclude_hierarchy(ones, words, request, conclusion);
  return conclusion;
}

}  // namespace

Workload prepare_cycle(device::Device& device, const Point& point, const Request& request) {
  return workloads::cycle_chase(device, lines_of(point, request.line_bytes), request.line_bytes, request.seed,
                                point.words.path.value_or(Path::vector));
}

Workload prepare_cycle_awake(device::Device& device, const Point& point, const Request& request) {
  return workloads::cycle_chase_awake(device, lines_of(point, request.line_bytes), request.line_bytes, request.seed);
}

Workload prepare_independent(device::Device& device, const Point& point, const Request& request) {
  return workloads::independent_chase(device, lines_of(point, request.line_bytes), request.line_bytes, request.seed);
}

Workload prepare_pages(device::Device& device, const Point& point, const Request& request) {
  const std::uint32_t stride_bytes = point.words.stride_bytes.value_or(request.page_bytes);
  const std::uint32_t lines = lines_of(point, stride_bytes);
  return workloads::cycle_chase(
      device, lines, workloads::LineLayout(stride_bytes, request.line_bytes, lines, request.seed), request.seed);
}

Workload prepare_atomic(device::Device& device, const Point& point, const Request& request) {
  return workloads::atomic_chase(device, lines_of(point, request.line_bytes), request.line_bytes, request.seed);
}

}  // namespace latency_probe

const Probe latency{.name = "latency",
                    .question = "How long does one dependent load take, and how does that grow with the working set?",
                    .curves = latency_probe::curves,
                    .finding_kinds = latency_probe::finding_kinds,
                    .next = latency_probe::next,
                    .conclude = latency_probe::conclude,
                    .levels = measure::LevelsOf::latency};

}  // namespace sonde::probes
