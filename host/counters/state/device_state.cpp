#include "counters/state/device_state.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "analysis/statistics.hpp"

namespace sonde::counters {
namespace {

std::vector<double> known(std::span<const DeviceState> readings, std::optional<double> DeviceState::* field) {
  std::vector<double> values;
  for (const DeviceState& reading : readings) {
    if (reading.*field) values.push_back(*(reading.*field));
  }
  return values;
}

std::optional<double> median(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return analysis::quantile(values, 0.5);
}

}  // namespace

DeviceState summarize(std::span<const DeviceState> readings) {
  DeviceState all;
  all.gpu_clock_mhz = median(known(readings, &DeviceState::gpu_clock_mhz));
  all.memory_clock_mhz = median(known(readings, &DeviceState::memory_clock_mhz));
  all.cpu_clock_mhz = median(known(readings, &DeviceState::cpu_clock_mhz));
  const std::vector<double> peaks = known(readings, &DeviceState::memory_peak_gbps);
  if (!peaks.empty()) all.memory_peak_gbps = std::ranges::max(peaks);
  const std::vector<double> temperatures = known(readings, &DeviceState::temperature_celsius);
  if (!temperatures.empty()) all.temperature_celsius = std::ranges::max(temperatures);
  const std::vector<double> powers = known(readings, &DeviceState::power_watts);
  if (!powers.empty()) {
    all.power_watts = std::accumulate(powers.begin(), powers.end(), 0.0) / static_cast<double>(powers.size());
  }
  for (const DeviceState& reading : readings) {
    if (!reading.throttle_reasons) continue;
    if (!all.throttle_reasons) all.throttle_reasons.emplace();
    all.throttle_reasons->insert(reading.throttle_reasons->begin(), reading.throttle_reasons->end());
  }
  return all;
}

}  // namespace sonde::counters
