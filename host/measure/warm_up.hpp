#pragma once

#include "measure/proved_run.hpp"
#include "measure/stopping.hpp"

namespace sonde::measure {

struct WarmUp {
  double nanoseconds_per_step = 0;
  double settling = 0;  // as in Repetitions
};

/// One lap, then further ones while they get faster: a cache that replaces at random keeps for many laps what others
/// left in it. Ends early in the second lap where that is as fast as the first, or when `limits` says.
/// `per_step`: nanoseconds that a step is expected to take.
WarmUp warm_up(const ProvedRun& run, double per_step, const Limits& limits, const Workload& workload);

}  // namespace sonde::measure
