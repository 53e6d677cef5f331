#include "measure/stopping.hpp"

#include "analysis/statistics.hpp"

namespace sonde::measure {

Limits limits_of(Effort effort, device::DeviceType type) {
  using device::Nanoseconds;
  const bool cpu = type == device::DeviceType::cpu;
  switch (effort) {
    case Effort::quick:
      return {.stretch = Nanoseconds(2e6),
              .most_repetitions = 9,
              .device_time = Nanoseconds(70e6),
              .warm_up = Nanoseconds(cpu ? 0.25e9 : 10e9)};
    case Effort::normal:
      return {.stretch = Nanoseconds(6e6),
              .most_repetitions = 15,
              .device_time = Nanoseconds(400e6),
              .warm_up = Nanoseconds(cpu ? 1e9 : 12e9)};
    case Effort::thorough: break;
  }
  return {.stretch = Nanoseconds(20e6),
          .most_repetitions = 30,
          .device_time = Nanoseconds(2e9),
          .warm_up = Nanoseconds(60e9)};
}

void StoppingRule::add(double value, device::Nanoseconds spent) {
  values_.push_back(value);
  spent_ += spent;
}

bool StoppingRule::done() const {
  const int count = static_cast<int>(values_.size());
  if (count < limits_.least_repetitions) return false;
  if (count >= limits_.most_repetitions || spent_ >= limits_.device_time) return true;
  const analysis::Interval interval = analysis::median_interval(values_);
  return (interval.high - interval.low) / 2 < 0.01 * analysis::summarize(values_).median;
}

}  // namespace sonde::measure
