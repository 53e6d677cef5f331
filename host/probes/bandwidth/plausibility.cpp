#include "probes/bandwidth/plausibility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "analysis/statistics.hpp"
#include "measure/cycles.hpp"
#include "probes/bandwidth/curve.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::probes {
namespace {

using Series = std::map<std::string, std::string>;

/// A curve that has fallen once is past what the nearest caches deliver.
constexpr double fallen = 0.8;
/// Above the most that any smaller working set got, by so much: nothing further away delivers that.
constexpr double implausible = 1.2;
/// Of a working set so many times the last cache, so little is in the cache that it does not count for more than this.
constexpr double far_beyond_caches = 4;
constexpr double above_memory = 1.1;
/// What no compute unit takes in and gives out in a cycle: twice what those with the widest paths do.
constexpr double most_bytes_per_cycle = 256;

std::string what(const Measurement& one) {
  const workloads::PatternFacts& facts = workloads::facts_of(workloads::pattern_of(one.point.series));
  const std::string path = facts.path == "buffer" ? "" : fmt::format(" by the path {}", facts.path);
  return fmt::format("At {} the pattern {}{} got {:.4g} GB/s", size_text(bytes_of(one)), facts.name, path,
                     gbps_of(one));
}

Finding suspicious(const Measurement& worst, const std::string& why) {
  return {.series = worst.point.series,
          .name = "suspicious",
          .value = gbps_of(worst),
          .unit = "GB/s",
          .evidence = what(worst) + why};
}

/// Of each curve over the working set, by what the program moves.
std::set<Series> all_series(std::span<const Measurement> measurements) {
  std::set<Series> all;
  for (const Measurement& one : measurements) {
    if (!one.point.series.contains("bytes-counted")) all.insert(one.point.series);
  }
  return all;
}

/// The one that is furthest above its limit, of those above it; null where none is. A limit of 0 is none.
template <typename Limit>
const Measurement* furthest_above(std::span<const Measurement> measurements, Limit limit) {
  const Measurement* worst = nullptr;
  double most = 1;
  for (const Series& series : all_series(measurements)) {
    for (const Measurement* one : best_points(measurements, series)) {
      const double allowed = limit(*one);
      if (allowed <= 0 || gbps_of(*one) <= most * allowed) continue;
      most = gbps_of(*one) / allowed;
      worst = one;
    }
  }
  return worst;
}

}  // namespace

std::vector<Finding> more_than_from_nearer(std::span<const Measurement> measurements) {
  std::vector<Finding> findings;
  for (const Series& series : all_series(measurements)) {
    double most = 0;
    bool past_the_peak = false;
    const Measurement* worst = nullptr;
    double most_before_worst = 0;
    int others = -1;
    for (const Measurement* one : best_points(measurements, series)) {
      const double gbps = gbps_of(*one);
      if (past_the_peak && gbps > implausible * most) {
        ++others;
        if (worst != nullptr && gbps <= gbps_of(*worst)) continue;
        worst = one;
        most_before_worst = most;
        continue;
      }
      most = std::max(most, gbps);
      past_the_peak = past_the_peak || gbps < fallen * most;
    }
    if (worst == nullptr) continue;
    const std::string also =
        others > 0 ? " (and too much at " + std::to_string(others) + " other size" + (others > 1 ? "s)" : ")") : "";
    findings.push_back(suspicious(
        *worst, fmt::format("{}, although no smaller working set got more than {:.3g}: this is not to be believed; "
                            "measure again on an idle machine.",
                            also, most_before_worst)));
  }
  return findings;
}

std::vector<Finding> more_than_memory_moves(std::span<const Measurement> measurements,
                                            std::span<const FoundLevel> levels) {
  if (levels.size() < 2 || !levels[levels.size() - 2].found.bytes) return {};
  const double caches = levels[levels.size() - 2].found.bytes->high;
  const Measurement* worst = furthest_above(measurements, [&](const Measurement& one) {
    const bool far = workloads::facts_of(workloads::pattern_of(one.point.series)).path != "local" &&
                     bytes_of(one) > far_beyond_caches * caches;
    return far ? above_memory * one.state.device_state.memory_peak_gbps.value_or(0) : 0.0;
  });
  if (worst == nullptr) return {};
  return {suspicious(
      *worst,
      fmt::format(", but memory moves at most {:.4g} by the clock and the width that the driver states, and the "
                  "last cache that was found ends at {}: this is not to be believed; please report the driver.",
                  *worst->state.device_state.memory_peak_gbps, size_text(caches)))};
}

std::vector<Finding> more_than_units_take(const device::DeviceInfo& device, std::span<const Measurement> measurements) {
  const Measurement* worst = furthest_above(measurements, [&](const Measurement& one) {
    return device.compute_units * measure::clock_mhz(device, one.state) / 1e3 * most_bytes_per_cycle;
  });
  if (worst == nullptr) return {};
  return {suspicious(
      *worst, fmt::format(", but {} compute units at {:.0f} MHz take {:.4g} if each takes {:.0f} bytes a cycle, more "
                          "than any known one does: this is not to be believed; please report the driver.",
                          device.compute_units, measure::clock_mhz(device, worst->state),
                          device.compute_units * measure::clock_mhz(device, worst->state) / 1e3 * most_bytes_per_cycle,
                          most_bytes_per_cycle))};
}

}  // namespace sonde::probes
