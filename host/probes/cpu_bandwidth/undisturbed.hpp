#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cpu/stream_kernels.hpp"
#include "measure/stopping.hpp"
#include "probes/cpu_bandwidth/team.hpp"

namespace sonde::probes {

/// What repeated runs of a team gave.
struct UndisturbedRuns {
  std::vector<double> pass_ns;  ///< of each run in which every thread had its core for all of it
  std::uint64_t passes = 0;     ///< in each of these
  double interrupted = 0;       ///< share of runs that are left out, as others had a thread's core meanwhile
};

/// Passes of a run that is long beside the clock and short beside a time slice. Where one pass is longer than that, the
/// team is divided into sections that are not. Throws device::Error where a run did not do its work, as all here.
std::uint64_t passes_of_a_run(StreamTeam& team);

/// Those of `all` by which runs of a team are the fastest, the first where none is by more than a hundredth.
const cpu::StreamKernels& fastest_of(std::span<const cpu::StreamKernels* const> all, StreamTeam& team,
                                     std::uint64_t passes);

/// As many runs as `limits` ask for. Throws device::TooShort where others hardly left the team one.
UndisturbedRuns undisturbed_runs(StreamTeam& team, std::uint64_t passes, const measure::Limits& limits,
                                 const std::function<void()>& alive);

}  // namespace sonde::probes
