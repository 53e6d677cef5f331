#include <fmt/format.h>

#include "analysis/number_text.hpp"
#include "measure/cycles.hpp"
#include "probes/bandwidth/bandwidth.hpp"

namespace sonde::probes {
namespace {

/// Moving a working set up to this takes little time.
constexpr double small_bytes = 256 << 10;
constexpr std::size_t least_points = 3;

/// A curve that has fallen once is past what the nearest caches deliver.
constexpr double fallen = 0.8;
/// Nothing further away delivers so many times the most that any smaller working set got.
constexpr double implausible = 1.2;
/// A working set of so many times the last cache has so little in it that it adds less than `above_memory` to what
/// memory moves.
constexpr double far_beyond_caches = 4;
constexpr double above_memory = 1.1;
/// No compute unit takes in and gives out so much in a cycle: it is twice what those with the widest paths do.
constexpr double most_bytes_per_cycle = 256;

Finding suspicious(const Measurement& worst, const std::string& why) {
  const Path path = worst.point.words.path.value();
  return {.kind = &bandwidth_probe::suspicious,
          .words = worst.point.words,
          .value = median_of(worst),
          .evidence = fmt::format("At {} the pattern {}{} got {} GB/s{}", size_text(bytes_of(worst)),
                                  measure::word_of(worst.point.words.pattern.value()),
                                  path == Path::buffer ? "" : fmt::format(" by the path {}", measure::word_of(path)),
                                  analysis::number_text(median_of(worst), 4), why)};
}

/// The words of each curve over the working set that counts what the program moves.
std::set<Words> all_curves(std::span<const Measurement> measurements) {
  std::set<Words> all;
  for (const Measurement& one : measurements) {
    if (!one.point.words.bytes_counted) all.insert(one.point.words);
  }
  return all;
}

/// The measurement that is furthest above its limit; null where none is above. A limit of 0 is none.
template <typename Limit>
const Measurement* furthest_above(std::span<const Measurement> measurements, Limit limit) {
  const Measurement* worst = nullptr;
  double most = 1;
  for (const Words& words : all_curves(measurements)) {
    for (const Measurement* one : best_points(measurements, words)) {
      const double allowed = limit(*one);
      if (allowed <= 0 || median_of(*one) <= most * allowed) continue;
      most = median_of(*one) / allowed;
      worst = one;
    }
  }
  return worst;
}

}  // namespace

std::optional<Finding> launch_cost(std::span<const Measurement> measurements) {
  std::optional<double> empty_us;
  std::vector<double> launches_us;
  std::vector<double> gbps;
  for (const Measurement& one : measurements) {
    if (one.point.words != bandwidth_probe::level_words) continue;
    if (one.unit == "us") empty_us = median_of(one);
    if (!is_of_a_sweep(one) || bytes_of(one) > small_bytes) continue;
    launches_us.push_back(six_digits(one.state.launch_ns) / 1e3);
    gbps.push_back(median_of(one));
  }
  const bool fits = launches_us.size() >= least_points;
  if (!empty_us && !fits) return std::nullopt;
  Finding found{.kind = &bandwidth_probe::launch, .words = bandwidth_probe::level_words};
  if (empty_us)
    found.evidence = fmt::format("An empty kernel takes {} us by the device's clock", analysis::number_text(*empty_us));
  if (fits) {
    // Each working set has its own moment of the run, and its own memory.
    const double median_us = analysis::quantile(launches_us, 0.5);
    const bool is_seen = std::ranges::min(launches_us) > 0;
    analysis::Estimate a = is_seen ? analysis::predicted_of_neighbours(median_us, launches_us)
                                   : analysis::predicted(median_us, launches_us);
    a.low = std::max(0.0, a.low);
    set_value(found, a);
    found.evidence += fmt::format(
        "{} dispatch over n bytes, up to {}, takes a + n / b: a is {} us ({} to {} in another run), b is "
        "{:.0f} GB/s",
        empty_us ? "; a" : "A", size_text(small_bytes), analysis::number_text(a.value), analysis::number_text(a.low),
        analysis::number_text(a.high), analysis::quantile(gbps, 0.5));
  }
  found.evidence += ".";
  return found;
}

std::vector<Finding> more_than_from_nearer(std::span<const Measurement> measurements) {
  std::vector<Finding> findings;
  for (const Words& words : all_curves(measurements)) {
    double most = 0;
    bool past_the_peak = false;
    const Measurement* worst = nullptr;
    double most_before_worst = 0;
    int others = -1;
    for (const Measurement* one : best_points(measurements, words)) {
      const double gbps = median_of(*one);
      if (past_the_peak && gbps > implausible * most) {
        ++others;
        if (worst != nullptr && gbps <= median_of(*worst)) continue;
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
        *worst, fmt::format("{}, although no smaller working set got more than {}: this is not to be believed; "
                            "measure again on an idle machine.",
                            also, analysis::number_text(most_before_worst))));
  }
  return findings;
}

std::vector<Finding> more_than_memory_moves(std::span<const Measurement> measurements,
                                            std::span<const FoundLevel> levels) {
  if (levels.size() < 2 || levels.back().found.bytes || !levels[levels.size() - 2].found.bytes) return {};
  const double caches = levels[levels.size() - 2].found.bytes->high;
  const Measurement* worst = furthest_above(measurements, [&](const Measurement& one) {
    const bool far = one.point.words.path != Path::local && bytes_of(one) > far_beyond_caches * caches;
    return far ? above_memory * one.state.device_state.memory_peak_gbps.value_or(0) : 0.0;
  });
  if (worst == nullptr) return {};
  return {suspicious(
      *worst, fmt::format(", but memory moves at most {} by the clock and the width that the driver states, and the "
                          "last cache that was found ends at {}: this is not to be believed; please report the driver.",
                          analysis::number_text(*worst->state.device_state.memory_peak_gbps, 4), size_text(caches)))};
}

std::vector<Finding> more_than_units_take(const device::DeviceInfo& device, std::span<const Measurement> measurements) {
  const Measurement* worst = furthest_above(measurements, [&](const Measurement& one) {
    return device.compute_units * measure::clock_mhz(device, one.state) / 1e3 * most_bytes_per_cycle;
  });
  if (worst == nullptr) return {};
  return {suspicious(
      *worst,
      fmt::format(", but {} compute units at {:.0f} MHz take {} if each takes {:.0f} bytes a cycle, more "
                  "than any known one does: this is not to be believed; please report the driver.",
                  device.compute_units, measure::clock_mhz(device, worst->state),
                  analysis::number_text(
                      device.compute_units * measure::clock_mhz(device, worst->state) / 1e3 * most_bytes_per_cycle, 4),
                  most_bytes_per_cycle))};
}

}  // namespace sonde::probes
