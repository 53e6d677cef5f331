// Question: how much longer does a load take while the rest of the device keeps the memory busy?
// docs/method/loaded-latency.md explains it.

#include "probes/loaded_latency/loaded_latency.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "analysis/number_text.hpp"
#include "analysis/size_curves.hpp"
#include "cpu/topology.hpp"
#include "probes/catalog.hpp"
#include "workloads/walk/chases.hpp"
#include "workloads/walk/single_item.hpp"

namespace sonde::probes {
namespace {

using loaded_latency_probe::walk;
using workloads::StreamShape;

/// No last cache is smaller.
constexpr double least_bytes = 512 << 10;
/// A longer delay would leave too few rounds in a dispatch to count.
constexpr double longest_delay = 4000;
/// A unit of delay takes so long on most devices: 128 cycles.
constexpr double usual_unit_ns = 60;

/// A load that reaches such a share of the highest is as good.
constexpr double nearly = 0.95;
/// The points that findings are read from are visited so often.
constexpr int visits_to_findings = 3;

/// A latency that was measured in one working set beside a load, or alone.
struct LoadedPoint {
  double gbps = 0;   ///< that the load moved
  double delay = 0;  ///< of no meaning where nothing was moved
  const Measurement* measurement = nullptr;
};

/// The working set that stands for memory: twice the caches that anybody states, and more at each closer look.
double largest_bytes(const device::DeviceInfo& device, const Request& request) {
  if (request.largest_bytes) return static_cast<double>(*request.largest_bytes);
  const double usual = device.type == device::DeviceType::cpu ? 64 << 20 : 128 << 20;
  const double beyond_caches =
      2 * static_cast<double>(std::max(request.stated_cache_bytes, request.stated_memory_side_bytes));
  const double bytes = by_look(request.look, 1, 2, 4) * std::max(usual, std::exp2(std::ceil(std::log2(beyond_caches))));
  return std::floor(bytes / request.line_bytes) * request.line_bytes;
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

bool is_alone(const Measurement& one) { return !one.point.x.delay; }

Point alone_in(double bytes) { return point_on(walk, {.bytes = bytes, .gpu_gbps = 0}, {}, expected_seconds(bytes)); }

/// The walk beside the full load. prepare() finds the load's shape.
Point fully_loaded_in(double bytes) {
  return point_on(walk, {.bytes = bytes, .delay = 0}, {}, 0.3 + expected_seconds(bytes));
}

/// Whoever asks for no larger sizes does not ask for memory.
bool is_memory(double bytes) { return bytes >= least_bytes; }

/// Memory, alone and beside the full load.
std::vector<Point> memory_points(const device::DeviceInfo& device, const Request& request) {
  const double bytes = largest_bytes(device, request);
  std::vector<Point> points{alone_in(bytes)};
  if (is_memory(bytes)) points.push_back(fully_loaded_in(bytes));
  return points;
}

/// Points of the walk alone, over the working set: they show what is the last cache.
std::vector<Point> idle_points(const device::DeviceInfo& device, const Request& request) {
  const double largest = largest_bytes(device, request);
  const double least =
      std::min(largest, request.smallest_bytes ? static_cast<double>(*request.smallest_bytes) : least_bytes);
  std::vector<Point> points;
  for (double bytes = largest; bytes >= std::max<double>(least, request.line_bytes);
       bytes = std::floor(bytes / 2 / request.line_bytes) * request.line_bytes)
    points.push_back(alone_in(bytes));
  return measure::spread_over_sizes(std::move(points), request.seed);
}

/// The points in the order of falling load; the walk alone comes last.
std::vector<LoadedPoint> loaded_points(std::span<const Measurement> known, double bytes) {
  std::vector<LoadedPoint> points;
  for (const Measurement& one : known) {
    if (one.unit != "ns" || one.point.x.bytes != bytes) continue;
    points.push_back(
        {.gbps = one.point.x.gpu_gbps.value(), .delay = one.point.x.delay.value_or(0), .measurement = &one});
  }
  // Alone is the longest delay there is.
  std::ranges::sort(points, [](const LoadedPoint& one, const LoadedPoint& other) {
    return std::pair(is_alone(*one.measurement), one.delay) < std::pair(is_alone(*other.measurement), other.delay);
  });
  return points;
}

/// The delay that is still wanted, as `workloads::delay_in_the_widest_gap` says.
std::optional<double> wanted_delay(const std::vector<LoadedPoint>& points, std::size_t wanted_points) {
  std::vector<workloads::ReachedLoad> reached;
  const LoadedPoint* undelayed = nullptr;
  for (const LoadedPoint& point : points) {
    if (is_alone(*point.measurement) || point.gbps <= 0) continue;
    if (reached.empty()) undelayed = &point;
    reached.push_back({.delay = point.delay, .gbps = point.gbps});
  }
  if (reached.empty()) return std::nullopt;
  return workloads::delay_in_the_widest_gap(reached, wanted_points,
                                            {.first = first_delay(*undelayed), .longest = longest_delay});
}

/// The point beside the highest load, of one at least; of those that reach nearly as much, one that no other program
/// disturbed.
const LoadedPoint& fullest(const std::vector<LoadedPoint>& points) {
  const LoadedPoint& full = *std::ranges::max_element(points, {}, &LoadedPoint::gbps);
  const auto quiet = std::ranges::find_if(points, [&](const LoadedPoint& one) {
    return one.gbps >= nearly * full.gbps && !one.measurement->state.disturbed;
  });
  return quiet == points.end() ? full : *quiet;
}

/// More visits to what the findings are read from.
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

std::optional<std::string> obstacle(const device::DeviceInfo& device) {
  if (device.type != device::DeviceType::cpu) return std::nullopt;
  if (workloads::compute_units_of(device) < 2)
    return "the driver uses one core only, so nothing can run beside the walk: give the machine or container two or "
           "more";
  const std::string reason = why_not_at_once(cpu::machine());
  return reason.empty() ? std::nullopt : std::optional(reason);
}

std::vector<Point> next(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known) {
  const std::vector<Point> points = measure::first_new_points(
      request, known, [&] { return memory_points(device, request); }, [&] { return idle_points(device, request); },
      [&] { return loaded_points_wanted(request, known); });
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
  StreamShape shape = workloads::search_shape(device, Pattern::read, sharing, bytes, workloads::SearchDepth::usual);
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
    conclusion.findings.push_back(finding_of(kind, alone.measurement->point.words,
                                             estimate(*of.measurement, measurements),
                                             evidence + workloads::describe_disturbance(of.measurement->state)));
  };
  const double alone_ns = median_of(*alone.measurement);
  const double full_ns = median_of(*full.measurement);
  add(workloads::idle_latency, alone,
      fmt::format("{} {} ns while nothing else runs.", load, analysis::number_text(alone_ns)));
  add(workloads::full_load_latency, full,
      fmt::format("{} {} ns while the other work-groups read {} GB/s, {} as alone.", load,
                  analysis::number_text(full_ns), analysis::number_text(full.gbps),
                  workloads::times_as_long(full_ns / alone_ns, 2)));
}

Conclusion conclude(const Request&, std::span<const Measurement> measurements) {
  Conclusion conclusion;
  const LoadedSets sets = loaded_sets(measurements);
  if (sets.last_cache_bytes) conclude_on(*sets.last_cache_bytes, "the last cache", measurements, conclusion);
  // The largest set may not have been walked beside a load yet.
  double memory_bytes = 0;
  for (const Measurement& one : measurements) {
    if (one.unit == "ns" && !is_alone(one)) memory_bytes = std::max(memory_bytes, one.point.x.bytes.value());
  }
  if (memory_bytes != sets.last_cache_bytes)
    conclude_on(memory_bytes, "the largest set, memory", measurements, conclusion);
  return conclusion;
}

}  // namespace

LoadedSets loaded_sets(std::span<const Measurement> known) {
  std::map<double, double> latency_by_bytes;
  std::set<double> loaded;
  for (const Measurement& one : known) {
    if (one.unit != "ns") continue;
    const double bytes = one.point.x.bytes.value();
    if (is_alone(one)) latency_by_bytes[bytes] = median_of(one);
    if (!is_alone(one)) loaded.insert(bytes);
  }
  std::erase_if(loaded, [&](double bytes) { return !latency_by_bytes.contains(bytes); });
  LoadedSets sets;
  if (latency_by_bytes.empty()) return sets;
  sets.memory_bytes = latency_by_bytes.rbegin()->first;
  for (const analysis::FlatStretch& stretch : analysis::flat_stretches(latency_by_bytes, analysis::Trend::rises)) {
    if (stretch.last_bytes == sets.memory_bytes) continue;
    // The walk and the load have as much each, and both together have to fit.
    const double middle = std::sqrt(stretch.first_bytes * stretch.last_bytes);
    const double most = std::max(stretch.first_bytes, std::min(middle, stretch.last_bytes / 2));
    sets.last_cache_bytes = std::prev(latency_by_bytes.upper_bound(most))->first;
    // A set that loads were made in while fewer sizes were known is as good.
    const auto before = loaded.lower_bound(stretch.first_bytes);
    if (before != loaded.end() && *before <= std::max(stretch.first_bytes, stretch.last_bytes / 2))
      sets.last_cache_bytes = *before;
  }
  return sets;
}

std::vector<Point> loaded_points_wanted(const Request& request, std::span<const Measurement> known) {
  const LoadedSets sets = loaded_sets(known);
  std::vector<Point> wanted;
  for (const double bytes : {sets.memory_bytes, sets.last_cache_bytes.value_or(0)}) {
    if (bytes == 0 || !is_memory(sets.memory_bytes)) continue;
    const std::vector<LoadedPoint> points = loaded_points(known, bytes);
    const auto loaded =
        std::ranges::find_if(points, [](const LoadedPoint& one) { return !is_alone(*one.measurement); });
    Point point = fully_loaded_in(bytes);
    if (loaded != points.end()) {
      const auto delay = wanted_delay(points, by_look(request.look, 4u, 8u, 16u));
      if (!delay) continue;
      point.x.delay = *delay;
      point.shape = loaded->measurement->state.shape;
      point.expected_seconds = expected_seconds(bytes);
    }
    wanted.push_back(std::move(point));
  }
  return measure::new_points(request, known, std::move(wanted));
}

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
    .conclude = conclude};

}  // namespace sonde::probes
