#pragma once

#include <vector>

#include "counters/traffic/traffic_meter.hpp"
#include "device/device.hpp"
#include "measure/probe.hpp"

namespace sonde::measure {

/// How long one point may be measured.
struct Limits {
  device::Nanoseconds stretch{0};  ///< wanted length of one timed dispatch
  int least_repetitions = 7;    ///< 7 give the median's range 98 % coverage
  int most_repetitions = 30;
  device::Nanoseconds device_time{0};  ///< no further repetition once this much was spent
  /// Counts what moves, where that is wanted: for work that takes its repetitions itself.
  counters::TrafficMeter* traffic = nullptr;
  device::Nanoseconds warm_up{0};  ///< most that may be spent on untimed laps after the first
};

/// A CPU is not waited for as long: what other programs leave of its last cache changes all the time, so that laps over
/// more than it holds settle by chance, while a GPU's caches are the walk's alone.
Limits limits_of(Effort effort, device::DeviceType type = device::DeviceType::discrete);

/// Decides when a median is known well enough; fed with plain numbers.
class StoppingRule {
 public:
  explicit StoppingRule(const Limits& limits) : limits_(limits) {}

  /// `spent` is the device time that the repetition took.
  void add(double value, device::Nanoseconds spent);

  /// True once the median's 95 % interval is within 1 % of it, or a limit is reached.
  [[nodiscard]] bool done() const;

 private:
  Limits limits_;
  std::vector<double> values_;
  device::Nanoseconds spent_{0};
};

}  // namespace sonde::measure
