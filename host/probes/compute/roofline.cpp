#include "probes/compute/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "analysis/size_curves.hpp"
#include "measure/visits.hpp"
#include "probes/compute/plan.hpp"
#include "workloads/arithmetic/arithmetic.hpp"
#include "workloads/arithmetic/roofline.hpp"

namespace sonde::probes {
namespace {

using workloads::NumberType;
using workloads::Operation;
using workloads::Sharing;

/// Fits the nearest cache of any device.
constexpr double nearest_bytes = 16 << 10;
/// Of a working set so many times the last cache, so little is in the cache that it does not count.
constexpr double far_beyond_caches = 4;
/// Dialled whatever the level.
constexpr double usual_operations = 64;
/// Where loads and arithmetic take turns, a point so many times beyond the ridge is within a tenth of the roof.
constexpr double far_beyond_ridge = 10;
constexpr double most_operations = 1024;
/// Where no cache is stated.
constexpr double least_memory_bytes = 4 << 20;

using Series = std::map<std::string, std::string>;

Series series_of_sweep() {
  Series series = workloads::series_of(NumberType::fp32, Operation::fma, "parallel");
  series["sharing"] = "shared";
  return series;
}

Series series_of_level(const std::string& level, Sharing sharing) {
  Series series = series_of_sweep();
  if (sharing == Sharing::separate) series["sharing"] = "private";
  series["level"] = level;
  return series;
}

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

Point point_at(const Series& series, double operations_per_byte, double bytes, const Request& request) {
  const double seconds = request.effort == Effort::quick ? 0.1 : 0.4;
  return {.series = series,
          .x = {{"operations_per_byte", operations_per_byte}, {"bytes", bytes}},
          .expected_seconds = seconds + 3e-9 * bytes};
}

struct Level {
  std::string name;
  Sharing sharing = Sharing::shared;
  double bytes = 0;
};

/// `ridge`: of the level, 0 as long as it is not known. From memory some GPUs need a hundred operations a byte: the
/// dial goes on until arithmetic alone is the limit.
std::vector<double> operations_wanted(Effort effort, double ridge) {
  const double times = effort == Effort::quick ? 4 : 2;
  std::vector<double> operations{0};
  for (double next = effort == Effort::quick ? 0.25 : 0.0625; next <= usual_operations; next *= times)
    operations.push_back(next);
  while (operations.back() < far_beyond_ridge * ridge && times * operations.back() <= most_operations)
    operations.push_back(times * operations.back());
  return operations;
}

/// By its bandwidth without operations; 0 where that is not known.
double ridge_at(const Level& level, std::span<const Measurement> known) {
  const auto bandwidth = std::ranges::find_if(known, [&](const Measurement& one) {
    return is_at_level(one.point) && one.point.series.at("level") == level.name &&
           one.point.x.at("operations_per_byte") == 0;
  });
  return bandwidth == known.end() ? 0 : median_of(*main_rate(known, NumberType::fp32)) / median_of(*bandwidth);
}

/// Nothing where no larger sizes were asked for than caches may hold.
std::vector<Level> memory_level(const device::DeviceInfo& device, const Request& request) {
  const double bytes = memory_bytes(device, request);
  const double least =
      std::max(least_memory_bytes, far_beyond_caches * static_cast<double>(request.stated_cache_bytes));
  if (bytes < least) return {};
  return {{"memory", Sharing::separate, bytes}};
}

/// A size in each flat stretch of the bandwidth; what the largest is part of may be memory, which is looked at apart:
/// what one group reads of it, another must not find in a cache.
std::vector<Level> levels_of(const device::DeviceInfo& device, const Request& request,
                             std::span<const Measurement> known) {
  std::map<double, double> gbps_by_bytes;
  for (const Measurement& one : known) {
    if (one.point.series == series_of_sweep() && is_of_roofline(one.point))
      gbps_by_bytes[one.point.x.at("bytes")] = median_of(one);
  }
  std::vector<Level> levels;
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

/// The words of the registers that this driver computed with best.
std::uint32_t register_words(std::span<const Measurement> known) {
  const Measurement* const main = main_rate(known, NumberType::fp32);
  if (main == nullptr) return 0;
  return workloads::arithmetic_shape_of(main->state.shape).numbers();
}

}  // namespace

bool is_of_roofline(const Point& point) { return point.x.contains("operations_per_byte"); }
bool is_at_level(const Point& point) { return is_of_roofline(point) && point.series.contains("level"); }

std::vector<Point> roofline_points(const device::DeviceInfo& device, const Request& request,
                                   std::span<const Measurement> known) {
  if (main_rate(known, NumberType::fp32) == nullptr) return {};
  std::vector<Point> points;
  const bool quick = request.effort == Effort::quick;
  const double most = memory_bytes(device, request);
  if (!quick) {
    for (double bytes = nearest_bytes; bytes <= most; bytes *= 2)
      points.push_back(point_at(series_of_sweep(), 0, bytes, request));
  }
  const bool swept = std::ranges::any_of(
      known, [](const Measurement& one) { return is_of_roofline(one.point) && !is_at_level(one.point); });
  std::vector<Level> levels;
  if (quick) {
    levels = memory_level(device, request);
    levels.insert(levels.begin(), {"level 1", Sharing::shared, nearest_bytes});
  }
  if (!quick && swept) levels = levels_of(device, request, known);
  for (const Level& level : levels) {
    for (const double operations : operations_wanted(request.effort, ridge_at(level, known))) {
      points.push_back(point_at(series_of_level(level.name, level.sharing), operations, level.bytes, request));
      if (operations == 0) points.back().visits = measure::usual_visits(request.effort);
    }
  }
  std::erase_if(points, [&](const Point& one) { return !measure::is_asked_for(request, one.x.at("bytes")); });
  const std::uint32_t words = register_words(known);
  for (Point& point : points) {
    point.shape = workloads::named(workloads::roofline_shape(device, workloads::sharing_of(point.series),
                                                             static_cast<std::uint64_t>(point.x.at("bytes")), words));
  }
  return points;
}

Workload prepare_roofline(device::Device& device, const Point& point, const Request& request) {
  return workloads::roofline(device, workloads::sharing_of(point.series), workloads::roofline_shape_of(point.shape),
                             static_cast<std::uint64_t>(point.x.at("bytes")), point.x.at("operations_per_byte"),
                             request.seed);
}

}  // namespace sonde::probes
