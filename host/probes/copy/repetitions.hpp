#pragma once

#include <functional>
#include <vector>

#include "device/error.hpp"
#include "measure/stopping.hpp"
#include "probes/copy/endpoints.hpp"
#include "probes/probe.hpp"

namespace sonde::probes {

/// How many copies of `bytes` follow one another in one repetition, on each of so many queues.
std::uint32_t copies_in_a_row(device::Device& device, Effort effort, std::uint64_t bytes, std::uint32_t queues);

/// Throws device::Error when memory does not hold what the last row copied.
inline void check(CopyEndpoints& endpoints) {
  if (const auto flaw = endpoints.flaw()) throw device::Error(*flaw);
}

/// A byte a nanosecond is a GB/s. Throws device::TooShort where the clock did not move.
inline double gbps(std::uint64_t bytes, device::Nanoseconds time) {
  if (time.count() <= 0)
    throw device::TooShort("copies of so few bytes take no time that the clock can tell; larger ones are measured");
  return static_cast<double>(bytes) / time.count();
}

/// A repetition: its value, and how long it was by whichever clock timed it.
struct Repetition {
  double value = 0;
  device::Nanoseconds time{0};
};

/// One untimed repetition, then others until the rule of the effort is content. `once` makes one.
template <typename Once>
std::vector<double> repeated(const Limits& limits, const std::function<void()>& alive, Once once) {
  // Proofs take as long as copies, and there are many points. No clock but that of the copies is asked: a simulated
  // device gives the same values every time.
  constexpr double share_of_time = 0.1;
  Limits own = limits;
  own.device_time *= share_of_time;
  measure::StoppingRule rule(own);
  std::vector<double> values;
  once();  // pages get their memory, and drivers whatever they make at first use
  alive();
  while (!rule.done()) {
    const Repetition one = once();
    values.push_back(one.value);
    alive();
    rule.add(one.value, one.time);
  }
  return values;
}

}  // namespace sonde::probes
