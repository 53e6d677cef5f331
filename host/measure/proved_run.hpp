#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "device/error.hpp"
#include "measure/probe.hpp"

namespace sonde::measure {

/// Runs a workload, and throws device::Error where a dispatch did not do its work. Calls `alive` after each.
class ProvedRun {
 public:
  ProvedRun(const Workload& workload, const std::function<void()>& alive) : workload_(workload), alive_(alive) {}

  device::Nanoseconds operator()(std::uint64_t steps) const {
    const device::Nanoseconds time = workload_.run(steps);
    if (const auto flaw = workload_.flaw()) throw device::Error(*flaw);
    alive_();
    return time;
  }
  /// Whether the last run's thread did not have its core for all of it, where that is known.
  bool was_interrupted() const { return workload_.interrupted && workload_.interrupted(); }

 private:
  const Workload& workload_;
  const std::function<void()>& alive_;
};

/// Whole quanta that are predicted to last `wanted`, at least one and at most what a run may take.
inline std::uint64_t steps_for(device::Nanoseconds wanted, double nanoseconds_per_step, const Workload& workload) {
  const double steps = wanted.count() / std::max(nanoseconds_per_step, 1e-3);
  const auto quanta = static_cast<std::uint64_t>(steps / static_cast<double>(workload.quantum));
  return std::clamp<std::uint64_t>(quanta, 1, workload.most / workload.quantum) * workload.quantum;
}

}  // namespace sonde::measure
