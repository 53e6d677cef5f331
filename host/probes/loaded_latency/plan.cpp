#include "probes/loaded_latency/plan.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "analysis/size_curves.hpp"
#include "probes/loaded_latency/curves.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::probes {
namespace {

using loaded_latency_probe::walk;

/// No last cache is smaller.
constexpr double least_bytes = 512 << 10;
/// Sizes above this one are four times apart at quick effort on a CPU, where large sets take long.
constexpr double coarse_above_bytes = 4 << 20;
/// A longer delay would leave too few rounds in a dispatch to count.
constexpr double longest_delay = 4000;
/// A unit of delay takes so long on most devices: 128 cycles.
constexpr double usual_unit_ns = 60;

/// A load that reaches such a share of the highest is as good.
constexpr double nearly = 0.95;
/// The points that findings are read from are visited so often.
constexpr int visits_to_findings = 3;

double largest_bytes(const device::DeviceInfo& device, const Request& request) {
  if (request.largest_bytes) return static_cast<double>(*request.largest_bytes);
  const double factor = device.type == device::DeviceType::cpu ? 1 : 2;
  switch (request.effort) {
    case Effort::quick: return factor * (64 << 20);
    case Effort::normal: return factor * (128 << 20);
    case Effort::thorough: break;
  }
  return factor * (512 << 20);
}

std::size_t points_beside_a_load(Effort effort) {
  switch (effort) {
    case Effort::quick: return 4;
    case Effort::normal: return 8;
    case Effort::thorough: break;
  }
  return 16;
}

double expected_seconds(double bytes) { return 0.12 + 5e-9 * bytes; }

/// The delay that is tried after none: about what a round takes by itself.
double first_delay(const LoadedPoint& undelayed) {
  const auto& shape = undelayed.measurement->state.shape;
  if (shape.empty()) return 1;
  const workloads::StreamShape of = workloads::shape_of(shape);
  const double round_bytes = 4.0 * of.groups * of.block_words() * sizeof(std::uint32_t);
  return std::clamp(std::round(round_bytes / undelayed.gbps / usual_unit_ns), 1.0, longest_delay);
}

bool is_latency(const Measurement& one) { return one.unit == "ns"; }
bool is_alone(const Measurement& one) { return !one.point.x.delay; }

}  // namespace

std::vector<Point> idle_points(const device::DeviceInfo& device, const Request& request) {
  const double largest = largest_bytes(device, request);
  const double least =
      std::min(largest, request.smallest_bytes ? static_cast<double>(*request.smallest_bytes) : least_bytes);
  std::vector<Point> points;
  const bool coarse = request.effort == Effort::quick && device.type == device::DeviceType::cpu;
  double next_bytes = 0;
  for (double bytes = largest; bytes >= std::max<double>(least, request.line_bytes); bytes = next_bytes) {
    const double step = coarse && bytes > coarse_above_bytes ? 4 : 2;
    next_bytes = std::floor(bytes / step / request.line_bytes) * request.line_bytes;
    points.push_back(point_on(walk, {.bytes = bytes, .gpu_gbps = 0}));
    points.back().expected_seconds = expected_seconds(bytes);
  }
  std::ranges::reverse(points);  // where one is too large for the device, so are all behind it
  return points;
}

LoadedSets loaded_sets(std::span<const Measurement> known) {
  std::map<double, double> latency_by_bytes;
  for (const Measurement& one : known) {
    if (is_latency(one) && is_alone(one)) latency_by_bytes[one.point.x.bytes.value()] = median_of(one);
  }
  LoadedSets sets;
  if (latency_by_bytes.empty()) return sets;
  sets.memory_bytes = latency_by_bytes.rbegin()->first;
  for (const analysis::FlatStretch& stretch : analysis::flat_stretches(latency_by_bytes, analysis::Trend::rises)) {
    if (stretch.last_bytes == sets.memory_bytes) continue;
    // The walk and the load have as much each, and both together have to fit.
    const double middle = std::sqrt(stretch.first_bytes * stretch.last_bytes);
    const double most = std::max(stretch.first_bytes, std::min(middle, stretch.last_bytes / 2));
    sets.last_cache_bytes = std::prev(latency_by_bytes.upper_bound(most))->first;
  }
  return sets;
}

std::vector<LoadedPoint> loaded_points(std::span<const Measurement> known, double bytes) {
  std::vector<LoadedPoint> points;
  for (const Measurement& one : known) {
    if (!is_latency(one) || one.point.x.bytes != bytes) continue;
    points.push_back({.gbps = one.point.x.gpu_gbps.value(),
                      .latency_ns = median_of(one),
                      .delay = one.point.x.delay.value_or(0),
                      .measurement = &one});
  }
  // Alone is the longest delay there is.
  std::ranges::sort(points, [](const LoadedPoint& one, const LoadedPoint& other) {
    return std::pair(is_alone(*one.measurement), one.delay) < std::pair(is_alone(*other.measurement), other.delay);
  });
  return points;
}

std::optional<double> wanted_delay(const std::vector<LoadedPoint>& points, std::size_t wanted_points) {
  std::vector<workloads::ReachedLoad> reached;
  for (const LoadedPoint& point : points) {
    if (!is_alone(*point.measurement) && point.gbps > 0) reached.push_back({.delay = point.delay, .gbps = point.gbps});
  }
  if (reached.empty()) return std::nullopt;
  const auto undelayed =
      std::ranges::find_if(points, [](const LoadedPoint& one) { return !is_alone(*one.measurement) && one.gbps > 0; });
  return workloads::delay_in_the_widest_gap(reached, wanted_points,
                                            {.first = first_delay(*undelayed), .longest = longest_delay});
}

std::vector<Point> loaded_points_wanted(const Request& request, std::span<const Measurement> known) {
  const LoadedSets sets = loaded_sets(known);
  if (sets.memory_bytes < least_bytes) return {};  // whoever asks for no larger sizes does not ask for memory
  std::vector<double> working_sets{sets.memory_bytes};
  if (sets.last_cache_bytes) working_sets.insert(working_sets.begin(), *sets.last_cache_bytes);
  std::vector<Point> wanted;
  for (const double bytes : working_sets) {
    const std::vector<LoadedPoint> points = loaded_points(known, bytes);
    const auto loaded =
        std::ranges::find_if(points, [](const LoadedPoint& one) { return !is_alone(*one.measurement); });
    Point point = point_on(walk, {.bytes = bytes, .delay = 0});
    point.expected_seconds = expected_seconds(bytes);
    if (loaded != points.end()) {
      const auto delay = wanted_delay(points, points_beside_a_load(request.effort));
      if (!delay) continue;
      point.x.delay = *delay;
      point.shape = loaded->measurement->state.shape;
    }
    wanted.push_back(std::move(point));
  }
  return wanted;
}

const LoadedPoint& fullest(const std::vector<LoadedPoint>& points) {
  const LoadedPoint& full = *std::ranges::max_element(points, {}, &LoadedPoint::gbps);
  const auto quiet = std::ranges::find_if(points, [&](const LoadedPoint& one) {
    return one.gbps >= nearly * full.gbps && !one.measurement->state.disturbed;
  });
  return quiet == points.end() ? full : *quiet;
}

std::vector<Point> more_visits_to_findings(std::span<const Measurement> known) {
  const LoadedSets sets = loaded_sets(known);
  std::vector<Point> again;
  for (const double bytes : {sets.last_cache_bytes.value_or(0), sets.memory_bytes}) {
    const std::vector<LoadedPoint> points = loaded_points(known, bytes);
    if (points.size() < 2) continue;
    for (const LoadedPoint* one : {&points.back(), &fullest(points)}) {
      again.push_back(one->measurement->point);
      again.back().visits = visits_to_findings;
      if (!is_alone(*one->measurement)) again.back().x.gpu_gbps.reset();  // only the measurement tells it
    }
  }
  return again;
}

}  // namespace sonde::probes
