#include "measure/cycles.hpp"

#include <cmath>

#include "analysis/statistics.hpp"

namespace sonde::measure {
namespace {

/// A core clock of a GPU lies between these. Counters of constant rate are slower: 100 MHz on AMD, 19.2 to 38.4 on
/// Intel and Qualcomm.
constexpr double least_mhz = 200;
constexpr double most_mhz = 4000;

/// A multiplication and an addition that depend on each other take no less and no more. It also bounds a dispatch to
/// half of what a counter of 20 bits can count, which is all that its difference can be trusted for.
constexpr double least_cycles = 2;
constexpr double most_cycles = 32;

/// The tolerance for a counter that counts unevenly: reading it costs the short chain a little more than the long one.
constexpr double uneven = 0.05;
/// The tolerance for the chain's time in the other kernel: a larger difference means that the compiler made other code
/// of it.
constexpr double other_code = 0.1;

/// A step is a whole number of cycles, and the loop around 64 of them adds little. The second bound holds from four
/// cycles on: by a share alone every number would do from twenty cycles on.
constexpr double off_by_share = 0.025;
constexpr double off_by_cycles = 0.1;
/// Sensors read while the clock moves, or round; beyond this the device did not run at the stated clock.
constexpr double off_stated_clock = 0.05;

bool within(double share, double value, double expected) { return std::abs(value / expected - 1) <= share; }

std::optional<double> median_mhz(std::span<const Measurement> measurements, const FoundLevel& level) {
  std::vector<double> clocks;
  for (const Measurement& one : measurements) {
    if (one.unit == "ns" && one.point.words == level.words && one.state.core_clock) {
      clocks.push_back(one.state.core_clock->mhz);
    }
  }
  if (clocks.empty()) return std::nullopt;
  return analysis::quantile(clocks, 0.5);
}

}  // namespace

std::optional<double> cycles_per_step(const CountedChain& counted, double nanoseconds_per_step) {
  if (counted.few_ticks <= 0 || counted.many_ticks <= 0 || nanoseconds_per_step <= 0) return std::nullopt;
  // The result need not be a whole number: the loop around the steps is in the count, as it is in the time of the chain
  // that gives the clock beside every point.
  const double steps = counted.many_steps - counted.few_steps;
  const double cycles = (counted.many_ticks - counted.few_ticks) / steps;
  const double mhz = cycles / nanoseconds_per_step * 1e3;
  const bool even = within(uneven, counted.many_ticks / counted.few_ticks, counted.many_steps / counted.few_steps);
  const bool same_code = within(other_code, (counted.many_ns - counted.few_ns) / steps, nanoseconds_per_step);
  const bool plausible = cycles >= least_cycles && cycles <= most_cycles && mhz >= least_mhz && mhz <= most_mhz;
  return even && same_code && plausible ? std::optional(cycles) : std::nullopt;
}

std::optional<double> cycles_per_step(double nanoseconds_per_step, double stated_mhz, std::optional<double> read_mhz) {
  if (stated_mhz < least_mhz || stated_mhz > most_mhz) return std::nullopt;
  if (read_mhz && !within(off_stated_clock, *read_mhz, stated_mhz)) return std::nullopt;
  const double cycles = nanoseconds_per_step * stated_mhz / 1e3;
  const double whole = std::round(cycles);
  if (whole < least_cycles || whole > most_cycles) return std::nullopt;
  if (std::abs(cycles - whole) > std::min(off_by_share * whole, off_by_cycles)) return std::nullopt;
  return whole;
}

std::optional<CoreClock> summarize(std::span<const std::optional<CoreClock>> clocks) {
  std::vector<double> mhz;
  for (const auto& clock : clocks) {
    if (!clock) return std::nullopt;
    mhz.push_back(clock->mhz);
  }
  if (mhz.empty()) return std::nullopt;
  return CoreClock{.mhz = six_digits(analysis::quantile(mhz, 0.5)), .source = clocks.front()->source};
}

std::optional<Measurement> in_cycles(const Measurement& measurement) {
  if (measurement.unit != "ns" || !measurement.state.core_clock) return std::nullopt;
  Measurement cycles = measurement;
  cycles.unit = "cycles";
  for (double& value : cycles.values) value *= measurement.state.core_clock->mhz / 1e3;
  return cycles;
}

double clock_mhz(const device::DeviceInfo& device, const State& state) {
  const double measured = state.core_clock ? state.core_clock->mhz : 0;
  if (device.type == device::DeviceType::cpu) return measured;
  return std::max({device.clock_mhz, measured, state.device_state.gpu_clock_mhz.value_or(0)});
}

std::string without_cycles(const std::string& why) {
  return "values are given without cycles, as the arithmetic that tells the core's clock failed: " + why;
}

void add_cycles(std::vector<FoundLevel>& levels, std::span<const Measurement> measurements) {
  for (FoundLevel& level : levels) {
    const std::optional<double> mhz = median_mhz(measurements, level);
    if (!mhz || level.gbps) continue;
    const analysis::Bracket& ns = level.found.latency_ns;
    level.cycles = {ns.low * *mhz / 1e3, ns.value * *mhz / 1e3, ns.high * *mhz / 1e3};
  }
}

}  // namespace sonde::measure
