#include <cmath>
#include <limits>

#include "cpu/pinned.hpp"
#include "measure/repetitions.hpp"
#include "probes/cpu_bandwidth/team.hpp"

namespace sonde::probes {
namespace {

using device::Nanoseconds;

/// The moments at which threads leave the barrier are nothing beside such a run.
constexpr Nanoseconds wanted_run{1e6};
/// Those moments would be more than a hundredth of a shorter run.
constexpr Nanoseconds shortest_run{2e5};
constexpr std::size_t least_runs = 3;
/// A point takes no longer on a machine that leaves no run alone.
constexpr Nanoseconds longest_point{4e8};
constexpr int untimed_runs = 2;
/// Each kind of kernels is run so often. The shortest run counts, as others can only make one longer.
constexpr int tries = 3;
constexpr double no_better = 0.99;
/// After so long the search ends with what is known, as on a machine that leaves no run alone.
constexpr Nanoseconds longest_search{2e8};

Nanoseconds proved_run(StreamTeam& team, std::uint64_t passes) {
  const Nanoseconds time = team.run(passes);
  if (const auto failure = team.proof_failure()) throw device::Error(*failure);
  return time;
}

}  // namespace

std::uint64_t passes_of_a_run(StreamTeam& team) {
  const Nanoseconds end = cpu::steady_now() + longest_point / 2;
  for (std::uint64_t passes = 1;;) {
    // The shorter of two runs counts: in one others may have had a core.
    const Nanoseconds time = std::min(proved_run(team, passes), proved_run(team, passes));
    if (passes == 1 && time >= 2 * wanted_run) {
      team.divide(static_cast<std::size_t>(time / wanted_run));
      return 1;
    }
    if (time >= wanted_run / 2 || cpu::steady_now() > end) return passes;
    // The number grows by little at once: the first passes may have had to fetch what the next find in a cache.
    const double times = time.count() > 0 ? wanted_run / time : 8;
    passes = static_cast<std::uint64_t>(std::ceil(static_cast<double>(passes) * std::clamp(times, 1.5, 8.0)));
  }
}

const cpu::StreamKernels& fastest_of(std::span<const cpu::StreamKernels* const> all, StreamTeam& team,
                                     std::uint64_t passes) {
  const Nanoseconds end = cpu::steady_now() + longest_search;
  std::vector<double> least(all.size(), std::numeric_limits<double>::infinity());
  for (int attempt = 0; attempt < tries; ++attempt) {
    // The kernels take turns, so that a change of the machine's speed is no difference between them.
    for (std::size_t index = 0; index < all.size() && cpu::steady_now() < end; ++index) {
      team.use(*all[index]);
      const Nanoseconds time = proved_run(team, passes);
      if (!team.interrupted()) least[index] = std::min(least[index], time.count() / team.passes_made());
    }
  }
  std::size_t best = 0;
  for (std::size_t index = 1; index < all.size(); ++index) {
    if (least[index] < least[best] * (best == 0 ? no_better : 1)) best = index;
  }
  team.use(*all[best]);
  return *all[best];
}

Repetitions undisturbed_runs(StreamTeam& team, std::uint64_t passes, const Limits& limits,
                             const std::function<void()>& alive) {
  const Nanoseconds begin = cpu::steady_now();
  Repetitions found{.steps = passes};
  for (int run = 0; run < untimed_runs; ++run) proved_run(team, passes);
  measure::StoppingRule stopping(limits);
  std::size_t runs = 0;
  while (!stopping.done() && (cpu::steady_now() - begin < longest_point || runs < least_runs)) {
    const Nanoseconds time = proved_run(team, passes);
    alive();
    ++runs;
    if (team.interrupted() || time < shortest_run) continue;
    found.values.push_back(time.count() / team.passes_made());
    stopping.add(found.values.back(), time);
  }
  if (found.values.size() < least_runs) {
    throw device::TooShort(
        "other programs had the core of a thread in nearly every run, so that its speed is not known: measure again "
        "when those are idle");
  }
  found.interrupted = 1 - static_cast<double>(found.values.size()) / static_cast<double>(runs);
  return found;
}

}  // namespace sonde::probes
