#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace sonde::counters {

/// What a GPU and the CPU said of themselves; empty where nobody says. Reasons are among power, temperature, current
/// and other, and an empty set means that the GPU said it was not throttled.
struct DeviceState {
  std::optional<double> gpu_clock_mhz;
  std::optional<double> memory_clock_mhz;
  std::optional<double> memory_peak_gbps;  ///< what memory moves at its highest clock, both ways together
  std::optional<double> temperature_celsius;
  std::optional<double> power_watts;
  std::optional<std::set<std::string>> throttle_reasons;
  std::optional<double> cpu_clock_mhz;
};

/// Fills in what it knows and leaves the rest alone; called again and again, by one thread at a time.
using Source = std::function<void(DeviceState&)>;

/// One for all: median clocks, highest temperature, mean power, every throttle reason that was seen.
DeviceState summarize(std::span<const DeviceState> readings);

}  // namespace sonde::counters
