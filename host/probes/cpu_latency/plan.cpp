#include "probes/cpu_latency/plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "workloads/walk/latency_sweep.hpp"
#include "workloads/walk/path.hpp"

namespace sonde::probes {
namespace {

using workloads::Path;
using Series = std::map<std::string, std::string>;

/// The first cache, which is reached without translation by whatever pages, is walked on small ones only.
constexpr double least_bytes_of_huge = 32 << 10;
/// Where the memory controller may have a part in it.
constexpr double least_bytes_awake = 16 << 20;

/// Every second size of the latency probe's, or every fourth, is enough for a curve beside others that is looked at
/// closer at its edges.
std::vector<Point> thinned(std::vector<Point> points, double least_bytes, int every, const Request& request) {
  const double first = static_cast<double>(request.smallest_bytes.value_or(1024));
  std::erase_if(points, [&](const Point& point) {
    const double bytes = point.x.at("bytes");
    const bool between = std::lround(4 * std::log2(bytes / first)) % every != 0;
    const bool smallest = request.largest_bytes &&
                          static_cast<double>(*request.largest_bytes) < least_bytes;  // else nothing would be left
    return between || (bytes < least_bytes && !smallest);
  });
  return points;
}

/// The latency probe's points for one place, of which this probe knows nothing but the words.
std::vector<Point> with_words(std::vector<Point> points, const Series& words) {
  for (Point& point : points) {
    const auto order = point.series.find("order");
    Series series = words;
    if (order != point.series.end()) series["order"] = order->second;
    point.series = series;
  }
  return points;
}

std::vector<Measurement> of(const Series& words, std::span<const Measurement> known) {
  std::vector<Measurement> own;
  for (const Measurement& one : known) {
    if (workloads::hierarchy_series(one.point.series) == words) own.push_back(one);
  }
  return own;
}

std::vector<Point> swept(const Series& words, bool huge, const device::DeviceInfo& device, const Request& request,
                         std::span<const Measurement> known) {
  const std::vector<Measurement> own = of(words, known);
  const analysis::LatencyCurves curves = workloads::curves_of(own, Path::vector, request);
  if (curves.cycle.empty()) {
    const int every = huge && request.effort == Effort::quick ? 4 : 2;
    return with_words(
        thinned(workloads::coarse_points(device, request), huge ? least_bytes_of_huge : 0, every, request), words);
  }
  if (!curves.independent.empty() || !curves.page.empty()) return {};
  // While time is short, the curve of small pages alone is looked at closer.
  if (request.effort == Effort::quick && huge) return {};
  // As closely as the latency probe looks at its further paths, while time is short and where the same caches are
  // walked once more.
  const bool once_more = huge && request.effort == Effort::normal;
  const Path closeness = request.effort == Effort::quick || once_more ? Path::scalar : Path::vector;
  std::vector<Point> points = workloads::edge_points(curves, device, request, closeness);
  if (points.empty()) points = workloads::capacity_points(curves, device, request);
  return with_words(points, words);
}

std::vector<Point> awake_points(const Series& words, const device::DeviceInfo& device, const Request& request) {
  std::vector<Point> points;
  const double last = workloads::largest_bytes(device, request);
  const double least = std::max(least_bytes_awake, static_cast<double>(request.smallest_bytes.value_or(0)));
  for (double bytes = last; bytes >= least; bytes /= 4) {
    points.push_back(workloads::sized_point(request, words, bytes));
  }
  return points;
}

}  // namespace

std::vector<Point> cpu_latency_points(const CpuVariants& variants, const device::DeviceInfo& device,
                                      const Request& request, std::span<const Measurement> known) {
  std::vector<Point> points;
  const auto add = [&points](std::vector<Point> more) { points.insert(points.end(), more.begin(), more.end()); };
  for (const std::string& kind : variants.kinds) {
    for (const bool huge : {false, true}) {
      Series words{{"pages", huge ? "huge" : "small"}, {"state", "asleep"}};
      if (variants.kinds.size() > 1) words["core"] = kind;
      if (!huge || variants.huge_pages) {
        add(swept(words, huge, device, request, known));
      } else if (known.empty()) {
        points.push_back(workloads::sized_point(request, words, workloads::largest_bytes(device, request)));
      }
      const bool no_time = huge && request.effort == Effort::quick;
      if (!known.empty() || no_time || (huge && !variants.huge_pages)) continue;
      words["state"] = "awake";
      std::vector<Point> awake = awake_points(words, device, request);
      if (!variants.further_core && !awake.empty()) awake.resize(1);
      add(awake);
    }
  }
  return points;
}

}  // namespace sonde::probes
