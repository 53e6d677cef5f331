#include "probes/latency/further_paths.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/levels/levels.hpp"
#include "workloads/walk/latency_sweep.hpp"

namespace sonde::probes {
namespace {

using workloads::Path;

constexpr double smallest_bytes = 1024;
/// An atomic goes past the caches that are not shared: its latency changes in few places.
constexpr double least_atomic_bytes = 4096;

/// Where no sizes were asked for, a CPU that stands for a GPU is spared what only shows memory once more.
constexpr double largest_of_cpus = 64 << 20;

double limit_of(Path path, const device::DeviceInfo& device, const Request& request) {
  const bool spared =
      device.type == device::DeviceType::cpu && !request.largest_bytes && request.effort != Effort::thorough;
  const double largest = std::min(workloads::largest_bytes(device, request), spared ? largest_of_cpus : 1e300);
  switch (path) {
    case Path::constant: return std::min(largest, static_cast<double>(device.constant_bytes));
    case Path::image: return std::min(largest, static_cast<double>(device.texel_bytes));
    case Path::local:
      return std::min(largest, static_cast<double>(std::min(device.local_bytes, workloads::local_walk_bytes)));
    case Path::vector:
    case Path::scalar:
    case Path::atomic: break;
  }
  return largest;
}

/// Beyond this every point takes seconds, and only memory is left to tell.
constexpr double many_bytes = 64 << 20;
/// The same while time is short, of paths that end in the vector path's caches.
constexpr double many_bytes_in_short_time = 8 << 20;

/// Steps per doubling: half as many as on the vector path, whose levels these are compared with, while time is short.
double steps_per_doubling(Path path, Effort effort, double bytes) {
  if (path == Path::local) return 0.5;
  if (path == Path::atomic) return effort == Effort::quick ? 0.25 : 0.5;
  if (effort == Effort::thorough) return 4;
  const bool short_time = effort == Effort::quick && path != Path::vector;
  return bytes < (short_time ? many_bytes_in_short_time : many_bytes) ? 2 : 1;
}

}  // namespace

std::span<const Path> further_paths() {
  static constexpr std::array all{Path::scalar, Path::constant, Path::image, Path::local, Path::atomic};
  return all;
}

std::vector<Point> path_points(Path path, const device::DeviceInfo& device, const Request& request) {
  const double asked = request.smallest_bytes ? static_cast<double>(*request.smallest_bytes) : smallest_bytes;
  const double least = path == Path::atomic
                           ? std::max(asked, std::min(least_atomic_bytes, workloads::largest_bytes(device, request)))
                           : asked;
  const double most = limit_of(path, device, request);
  std::vector<Point> points;
  const auto add = [&](double bytes) {
    const Point next = workloads::sized_point(request, series_of(path), bytes);
    if (points.empty() || next.x != points.back().x) points.push_back(next);
  };
  for (double bytes = least; bytes < most / 1.1;
       bytes *= std::exp2(1 / steps_per_doubling(path, request.effort, bytes)))
    add(bytes);
  if (least <= most) add(most);
  // Asked for although there is no such memory, for the reason to be said.
  if (most == 0) points.push_back(workloads::sized_point(request, series_of(path), least));
  return points;
}

std::vector<Point> points_kept_awake(const device::DeviceInfo& device, const Request& request,
                                     const analysis::LatencyCurves& alone) {
  if (device.type == device::DeviceType::cpu) return {};
  const analysis::Hierarchy hierarchy = analysis::find_levels(alone);
  const std::vector<analysis::SizeRange> ranges = analysis::room_for_walk_and_stream(hierarchy.levels);
  std::vector<Point> points = path_points(Path::vector, device, request);
  std::erase_if(points, [&](const Point& point) {
    return std::ranges::none_of(ranges, [&](const auto& range) { return range.holds(point.x.at("bytes")); });
  });
  for (Point& point : points) point.series = workloads::series_awake();
  return points;
}

}  // namespace sonde::probes
