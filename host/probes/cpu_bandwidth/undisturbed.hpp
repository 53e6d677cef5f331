#pragma once

#include <functional>
#include <vector>

#include "measure/stopping.hpp"
#include "probes/cpu_bandwidth/team.hpp"

namespace sonde::probes {

/// What repeated runs of a team gave.
struct UndisturbedRuns {
  std::vector<double> pass_ns;  ///< of each run in which every thread had its core for all of it
  std::uint64_t passes = 0;     ///< in each of these
  double interrupted = 0;       ///< share of runs that are left out, as others had a thread's core meanwhile
};

/// Runs that are long beside the clock and short beside a time slice, as many as `limits` ask for. Throws gpu::Error
/// where a run did not do its work, gpu::TooShort where others hardly left it one.
UndisturbedRuns undisturbed_runs(StreamTeam& team, const measure::Limits& limits, const std::function<void()>& alive);

}  // namespace sonde::probes
