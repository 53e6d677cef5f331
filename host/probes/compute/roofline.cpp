// The plan of the roofline.

#include <cmath>
#include <map>

#include "analysis/size_curves.hpp"
#include "measure/visits.hpp"
#include "probes/compute/compute.hpp"
#include "workloads/arithmetic/roofline.hpp"

namespace sonde::probes::compute_probe {
namespace {

/// A working set that fits the nearest cache of any device.
constexpr double nearest_bytes = 16 << 10;
/// So little of a working set of so many times the last cache is in that cache that it does not count.
constexpr double far_beyond_caches = 4;
/// Operations a byte go up to here in every level.
constexpr double usual_operations = 64;
/// Where loads and arithmetic take turns, a point so many times beyond the ridge is within a tenth of the roof.
constexpr double far_beyond_ridge = 10;
constexpr double most_operations = 1024;
/// A working set in memory is not smaller, even if no cache is stated.
constexpr double least_memory_bytes = 4 << 20;

/// Working sets by which levels are found.
constexpr Words words_of_sweep = [] {
  Words words = single_words;
  words.sharing = Sharing::shared;
  return words;
}();

double memory_bytes(const device::DeviceInfo& device, const Request& request) {
  if (request.largest_bytes) return static_cast<double>(*request.largest_bytes);
  const bool on_cpu = device.type == device::DeviceType::cpu;
  double bytes = (on_cpu ? 1 : 2) * (request.effort == Effort::quick ? 64 << 20 : 128 << 20);
  bytes = std::max(bytes, far_beyond_caches * static_cast<double>(request.stated_cache_bytes));
  double most = 1e18;
  if (device.largest_buffer_bytes > 0) most = std::min(most, static_cast<double>(device.largest_buffer_bytes));
  if (device.memory_bytes > 0) most = std::min(most, static_cast<double>(device.memory_bytes) / 4);
  // Whole blocks for every group, however they are cut up.
  const double grain = workloads::compute_units_of(device) * 4.0 * (64 << 10);
  return std::max(1.0, std::min(std::ceil(bytes / grain), std::floor(most / grain))) * grain;
}

Point roofline_point(const Words& words, double operations_per_byte, double bytes, const Request& request) {
  return point_on(operations_per_byte == 0 ? roofline_bandwidth : roofline,
                  {.bytes = bytes, .operations_per_byte = operations_per_byte}, words,
                  (request.effort == Effort::quick ? 0.1 : 0.4) + 3e-9 * bytes);
}

struct RooflineLevel {
  measure::Name name;
  Sharing sharing = Sharing::shared;
  double bytes = 0;
};

/// `ridge_at`: the level's ridge, 0 as long as it is not known. From memory some GPUs need a hundred operations a byte:
/// the dial goes on until arithmetic alone is the limit.
std::vector<double> operations_wanted(Effort effort, double ridge_at) {
  const double times = effort == Effort::quick ? 4 : 2;
  std::vector<double> operations{0};
  for (double next = effort == Effort::quick ? 0.25 : 0.0625; next <= usual_operations; next *= times)
    operations.push_back(next);
  while (operations.back() < far_beyond_ridge * ridge_at && times * operations.back() <= most_operations)
    operations.push_back(times * operations.back());
  return operations;
}

/// The ridge by the level's bandwidth without operations; 0 where that is not known.
double ridge_of(const RooflineLevel& level, std::span<const Measurement> known) {
  const auto bandwidth = std::ranges::find_if(known, [&](const Measurement& one) {
    return is_at_level(one.point) && one.point.words.level == level.name && one.point.x.operations_per_byte == 0;
  });
  return bandwidth == known.end() ? 0 : median_of(*main_rate(known, NumberType::fp32)) / median_of(*bandwidth);
}

/// Memory; nothing where no larger sizes were asked for than caches may hold.
std::vector<RooflineLevel> memory_level(const device::DeviceInfo& device, const Request& request) {
  const double bytes = memory_bytes(device, request);
  const double least =
      std::max(least_memory_bytes, far_beyond_caches * static_cast<double>(request.stated_cache_bytes));
  if (bytes < least) return {};
  return {{"memory", Sharing::separate, bytes}};
}

/// A size in each flat stretch of the bandwidth. The stretch of the largest may be memory, which is measured by itself:
/// no group may find in a cache what another has read.
std::vector<RooflineLevel> levels_of(const device::DeviceInfo& device, const Request& request,
                                     std::span<const Measurement> known) {
  std::map<double, double> gbps_by_bytes;
  for (const Measurement& one : known) {
    if (one.point.words == words_of_sweep && is_of_roofline(one.point))
      gbps_by_bytes[one.point.x.bytes.value()] = median_of(one);
  }
  std::vector<RooflineLevel> levels;
  for (const analysis::FlatStretch& stretch : analysis::flat_stretches(gbps_by_bytes, analysis::Trend::falls)) {
    if (stretch.last_bytes == gbps_by_bytes.rbegin()->first) continue;
    const double middle = std::sqrt(stretch.first_bytes * stretch.last_bytes);
    const auto nearest = std::ranges::min_element(
        gbps_by_bytes, {}, [middle](const auto& entry) { return std::abs(std::log(entry.first / middle)); });
    levels.push_back({"level " + std::to_string(levels.size() + 1), Sharing::shared, nearest->first});
  }
  std::ranges::copy(memory_level(device, request), std::back_inserter(levels));
  return levels;
}

}  // namespace

std::vector<Point> roofline_points(const device::DeviceInfo& device, const Request& request,
                                   std::span<const Measurement> known) {
  const Measurement* const main = main_rate(known, NumberType::fp32);
  if (main == nullptr) return {};
  std::vector<Point> points;
  const bool quick = request.effort == Effort::quick;
  const double most = memory_bytes(device, request);
  if (!quick) {
    for (double bytes = nearest_bytes; bytes <= most; bytes *= 2)
      points.push_back(roofline_point(words_of_sweep, 0, bytes, request));
  }
  const bool swept = std::ranges::any_of(
      known, [](const Measurement& one) { return is_of_roofline(one.point) && !is_at_level(one.point); });
  std::vector<RooflineLevel> levels;
  if (quick) {
    levels = memory_level(device, request);
    levels.insert(levels.begin(), {"level 1", Sharing::shared, nearest_bytes});
  }
  if (!quick && swept) levels = levels_of(device, request, known);
  for (const RooflineLevel& level : levels) {
    for (const double operations : operations_wanted(request.effort, ridge_of(level, known))) {
      const Words words = with(single_words, {.level = level.name, .sharing = level.sharing});
      points.push_back(roofline_point(words, operations, level.bytes, request));
      if (operations == 0) points.back().visits = measure::usual_visits(request.effort);
    }
  }
  std::erase_if(points, [&](const Point& one) { return !measure::is_asked_for(request, one.x.bytes.value()); });
  // The registers hold as many words as this driver computed with best.
  const std::uint32_t words = workloads::arithmetic_shape_of(main->state.shape).numbers();
  for (Point& point : points) {
    point.shape = workloads::named(workloads::roofline_shape(device, point.words.sharing.value(),
                                                             static_cast<std::uint64_t>(point.x.bytes.value()), words));
  }
  return points;
}

Workload prepare_roofline(device::Device& device, const Point& point, const Request& request) {
  return workloads::roofline(device, point.words.sharing.value(), workloads::roofline_shape_of(point.shape),
                             static_cast<std::uint64_t>(point.x.bytes.value()), point.x.operations_per_byte.value(),
                             request.seed);
}

}  // namespace sonde::probes::compute_probe
