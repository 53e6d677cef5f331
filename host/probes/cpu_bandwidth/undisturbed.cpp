#include "probes/cpu_bandwidth/undisturbed.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cpu/clock.hpp"
#include "gpu/error.hpp"

namespace sonde::probes {
namespace {

using gpu::Nanoseconds;

/// Beside it the moments at which threads leave the barrier are nothing.
constexpr Nanoseconds wanted_run{1e6};
/// In a shorter one they would be more than a hundredth.
constexpr Nanoseconds shortest_run{2e5};
constexpr std::size_t least_runs = 3;
/// On a machine that leaves no run alone, a point takes no longer.
constexpr Nanoseconds longest_point{4e8};
constexpr int untimed_runs = 2;

Nanoseconds proved_run(StreamTeam& team, std::uint64_t passes, const std::function<void()>& alive) {
  const Nanoseconds time = team.run(passes);
  alive();
  if (const auto flaw = team.flaw()) throw gpu::Error(*flaw);
  return time;
}

/// As many passes as last about as long as is wanted.
std::uint64_t calibrate(StreamTeam& team, Nanoseconds end, const std::function<void()>& alive) {
  for (std::uint64_t passes = 1;;) {
    // The shorter of two: in one others may have had a core.
    const Nanoseconds time = std::min(proved_run(team, passes, alive), proved_run(team, passes, alive));
    if (time >= wanted_run / 2 || cpu::steady_now() > end) return passes;
    // Not far at once: the first passes may have had to fetch what the next find in a cache.
    const double times = time.count() > 0 ? wanted_run / time : 8;
    passes = static_cast<std::uint64_t>(std::ceil(static_cast<double>(passes) * std::clamp(times, 1.5, 8.0)));
  }
}

}  // namespace

UndisturbedRuns undisturbed_runs(StreamTeam& team, const measure::Limits& limits, const std::function<void()>& alive) {
  const Nanoseconds begin = cpu::steady_now();
  UndisturbedRuns found{.passes = calibrate(team, begin + longest_point / 2, alive)};
  for (int run = 0; run < untimed_runs; ++run) proved_run(team, found.passes, alive);
  measure::StoppingRule stopping(limits);
  std::size_t runs = 0;
  while (!stopping.done() && (cpu::steady_now() - begin < longest_point || runs < least_runs)) {
    const Nanoseconds time = proved_run(team, found.passes, alive);
    ++runs;
    if (team.interrupted() || time < shortest_run) continue;
    found.pass_ns.push_back(time.count() / static_cast<double>(found.passes));
    stopping.add(found.pass_ns.back(), time);
  }
  if (found.pass_ns.size() < least_runs) {
    throw gpu::TooShort(
        "other programs had the core of a thread in nearly every run, so that its speed is not known: measure again "
        "when those are idle");
  }
  found.interrupted = 1 - static_cast<double>(found.pass_ns.size()) / static_cast<double>(runs);
  return found;
}

}  // namespace sonde::probes
