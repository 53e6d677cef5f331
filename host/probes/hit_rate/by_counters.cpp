#include "probes/hit_rate/by_counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "analysis/statistics.hpp"
#include "measure/visits.hpp"
#include "probes/hit_rate/plan.hpp"
#include "workloads/stream/shape_search.hpp"
#include "workloads/stream/stream.hpp"

namespace sonde::probes {
namespace {

using workloads::Pattern;
using workloads::Sharing;
using Series = std::map<std::string, std::string>;

/// From here on what a cache holds is told by how often it hits.
constexpr double beyond_the_cache = 1.3;
constexpr std::size_t least_sizes = 3;
constexpr double mebibyte = 1 << 20;

std::vector<double> footprints(Effort effort) {
  if (effort == Effort::quick) return {0.5, 1, 2, 4};
  return {0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8};
}

Series with_counters(Series series) {
  series["method"] = "counters";
  return series;
}

const Measurement* counted_at(std::span<const Measurement> measurements, const Point& point) {
  const Series series = with_counters(point.series);
  const auto found = std::ranges::find_if(measurements, [&](const Measurement& one) {
    return one.unit == "ratio" && one.point.series == series && one.point.x.at("bytes") == point.x.at("bytes");
  });
  return found == measurements.end() ? nullptr : &*found;
}

double median(const std::vector<double>& values) { return analysis::quantile(values, 0.5); }

}  // namespace

bool is_by_counters(const Series& series) {
  const auto method = series.find("method");
  return method != series.end() && method->second == "counters";
}

std::vector<Point> counted_streams(const device::DeviceInfo& device, const Request& request, double cache_bytes) {
  std::vector<Point> points;
  for (const Pattern pattern : {Pattern::read, Pattern::write, Pattern::copy}) {
    for (const double share : footprints(request.effort)) {
      const double bytes = std::round(share * cache_bytes / mebibyte) * mebibyte;
      const bool fits = bytes <= static_cast<double>(device.largest_buffer_bytes) &&
                        bytes <= static_cast<double>(request.largest_bytes.value_or(~0ull)) &&
                        bytes >= static_cast<double>(request.smallest_bytes.value_or(1));
      if (!fits) continue;
      points.push_back({.series = with_counters(workloads::series_of(pattern, Sharing::separate)),
                        .x = {{"bytes", bytes}},
                        .expected_seconds = 0.2});
    }
  }
  return points;
}

Workload counted_stream(device::Device& device, const Point& point, const Request& request) {
  const Pattern pattern = workloads::pattern_of(point.series);
  const auto bytes = static_cast<std::uint64_t>(point.x.at("bytes"));
  const workloads::Shape shape =
      workloads::search_shape(device, pattern, Sharing::separate, bytes, workloads::SearchDepth::usual);
  return workloads::stream(device, pattern, Sharing::separate, shape, bytes, request.seed);
}

std::vector<Finding> findings_by_counters(const analysis::LastCache& cache, std::span<const Measurement> measurements,
                                          std::span<const Measurement> by_timing, double stated_bytes) {
  std::vector<double> capacities;
  std::vector<double> differences;
  double largest_bytes = 0;
  const double inner_bytes = cache.inner_bytes.empty() ? 0 : cache.inner_bytes.back();
  for (const Measurement& timed : by_timing) {
    const double bytes = timed.point.x.at("bytes");
    const Measurement* const counted = counted_at(measurements, timed.point);
    if (counted == nullptr || bytes < beyond_the_cache * cache.bytes) continue;
    const double share = measure::median_of(*counted);
    // What reaches the cache are the lines that those before it do not hold.
    capacities.push_back(inner_bytes + share * (bytes - inner_bytes));
    differences.push_back(share - measure::median_of(timed));
    largest_bytes = std::max(largest_bytes, bytes);
  }
  if (capacities.size() < least_sizes) return {};
  const Series series = by_timing.front().point.series;
  const std::string range = fmt::format("at {} working sets from {} to {}", capacities.size(),
                                        size_text(beyond_the_cache * cache.bytes), size_text(largest_bytes));
  const analysis::Estimate held = analysis::predicted_above_zero(median(capacities), capacities);
  Finding capacity{.series = with_counters(series),
                   .name = "effective-capacity",
                   .unit = "bytes",
                   .evidence = fmt::format("By the bytes that counters saw at the fabric and at memory, {}, it serves "
                                           "as large a share of the loads as {} would hold",
                                           range, size_text(held.value))};
  if (stated_bytes > 0) {
    capacity.details["share_of_stated"] = six_digits(held.value / stated_bytes);
    capacity.evidence += fmt::format(", {:.0f} % of the {} that the system states", 100 * held.value / stated_bytes,
                                     size_text(stated_bytes));
  }
  capacity.evidence += ".";
  measure::state(capacity, held);
  Finding difference{.series = series, .name = "methods-differ", .unit = "ratio"};
  const analysis::Estimate by = analysis::predicted(median(differences), differences);
  measure::state(difference, by);
  difference.evidence = fmt::format("The share of hits by counters is {:.3f} {} than that by timing, {}.",
                                    std::abs(by.value), by.value < 0 ? "lower" : "higher", range);
  return {capacity, difference};
}

}  // namespace sonde::probes
