#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "gpu/error.hpp"
#include "measure/probe.hpp"
#include "measure/stopping.hpp"
#include "probes/copy_lane.hpp"

namespace sonde::probes {

/// How many copies of `bytes` follow one another in one repetition, on each of so many queues.
std::uint32_t copies_in_a_row(gpu::Device& device, measure::Effort effort, std::uint64_t bytes,
                              std::uint32_t lanes);

/// Throws gpu::Error when memory does not hold what the lane's last row copied.
inline void check(CopyLane& lane) {
  if (const auto flaw = lane.flaw()) throw gpu::Error(*flaw);
}

/// A byte a nanosecond is a GB/s.
inline double gbps(std::uint64_t bytes, gpu::Nanoseconds time) {
  if (time.count() <= 0)
    throw gpu::Error("the clock did not move during the copies, so nothing can be timed by it");
  return static_cast<double>(bytes) / time.count();
}

/// One untimed repetition, then others until the rule of the effort is content. `once` makes one and returns
/// its value.
template <typename Once>
std::vector<double> repeated(const measure::Limits& limits, const std::function<void()>& alive, Once once) {
  // Proofs are counted in, and take as long as copies; there are many points.
  constexpr double share_of_time = 0.25;
  measure::Limits own = limits;
  own.device_time *= share_of_time;
  measure::StoppingRule rule(own);
  std::vector<double> values;
  once();  // pages get their memory, and drivers whatever they make at first use
  alive();
  while (!rule.done()) {
    const auto begin = std::chrono::steady_clock::now();
    values.push_back(once());
    alive();
    rule.add(values.back(), std::chrono::steady_clock::now() - begin);
  }
  return values;
}

}  // namespace sonde::probes
