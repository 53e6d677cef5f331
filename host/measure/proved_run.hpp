#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "device/error.hpp"
#include "measure/stopping.hpp"
#include "measure/workload.hpp"

namespace sonde::measure {

/// Runs stepped work, and throws device::Error where a dispatch did not do its work. Calls `alive` after each.
class ProvedRun {
 public:
  ProvedRun(const SteppedWork& work, const std::function<void()>& alive) : work_(work), alive_(alive) {}

  device::Nanoseconds operator()(std::uint64_t steps) const {
    const device::Nanoseconds time = work_.run(steps);
    if (const auto failure = work_.proof_failure()) throw device::Error(*failure);
    alive_();
    return time;
  }
  /// Whether the last run's thread did not have its core for all of it, where that is known.
  bool was_interrupted() const { return work_.interrupted && work_.interrupted(); }

 private:
  const SteppedWork& work_;
  const std::function<void()>& alive_;
};

/// Whole quanta that are predicted to last `wanted`, at least one and at most what a run may take.
inline std::uint64_t steps_for(device::Nanoseconds wanted, double nanoseconds_per_step, const SteppedWork& work) {
  const double steps = wanted.count() / std::max(nanoseconds_per_step, 1e-3);
  const auto quanta = static_cast<std::uint64_t>(steps / static_cast<double>(work.quantum));
  return std::clamp<std::uint64_t>(quanta, 1, work.most / work.quantum) * work.quantum;
}

/// What the untimed laps before the timed dispatches told.
struct WarmUp {
  double nanoseconds_per_step = 0;
  double settling = 0;  ///< as in Repetitions
};

/// Walks one lap, then further ones while they get faster: a cache that replaces at random keeps for many laps what
/// others left in it. Ends early in the second lap where that is as fast as the first, or when `limits` says.
/// `per_step`: nanoseconds that a step is expected to take.
WarmUp warm_up(const ProvedRun& run, double per_step, const Limits& limits, const SteppedWork& work);

}  // namespace sonde::measure
