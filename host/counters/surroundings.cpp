#include "counters/surroundings.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "analysis/statistics.hpp"

namespace sonde::counters {
namespace {

std::vector<double> known(std::span<const Surroundings> readings, std::optional<double> Surroundings::* field) {
  std::vector<double> values;
  for (const Surroundings& reading : readings) {
    if (reading.*field) values.push_back(*(reading.*field));
  }
  return values;
}

std::optional<double> median(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return analysis::quantile(values, 0.5);
}

}  // namespace

Surroundings summarize(std::span<const Surroundings> readings) {
  Surroundings all;
  all.gpu_clock_mhz = median(known(readings, &Surroundings::gpu_clock_mhz));
  all.memory_clock_mhz = median(known(readings, &Surroundings::memory_clock_mhz));
  all.cpu_clock_mhz = median(known(readings, &Surroundings::cpu_clock_mhz));
  const std::vector<double> peaks = known(readings, &Surroundings::memory_peak_gbps);
  if (!peaks.empty()) all.memory_peak_gbps = std::ranges::max(peaks);
  const std::vector<double> temperatures = known(readings, &Surroundings::temperature_celsius);
  if (!temperatures.empty()) all.temperature_celsius = std::ranges::max(temperatures);
  const std::vector<double> powers = known(readings, &Surroundings::power_watts);
  if (!powers.empty()) {
    all.power_watts = std::accumulate(powers.begin(), powers.end(), 0.0) / static_cast<double>(powers.size());
  }
  for (const Surroundings& reading : readings) {
    if (!reading.throttle_reasons) continue;
    if (!all.throttle_reasons) all.throttle_reasons.emplace();
    all.throttle_reasons->insert(reading.throttle_reasons->begin(), reading.throttle_reasons->end());
  }
  return all;
}

}  // namespace sonde::counters
