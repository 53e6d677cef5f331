#pragma once

#include "measure/probe.hpp"

// Cycles of the device's core as a second unit beside nanoseconds. A wrong number is worse than none: each rule gives
// none where it cannot be sure.
namespace sonde::measure {

/// The medians of what few and many steps of a chain of arithmetic took, by a counter of the core and by the device's
/// clock.
struct CountedChain {
  double few_steps = 0;
  double many_steps = 0;
  double few_ticks = 0;
  double many_ticks = 0;
  double few_ns = 0;
  double many_ns = 0;
};

/// Cycles that a step takes, by the counter; empty where it counts something else than the cycles of the core.
/// `nanoseconds_per_step` is what the same chain takes in a kernel that reads no counter.
std::optional<double> cycles_per_step(const CountedChain& counted, double nanoseconds_per_step);

/// The same by the highest clock that the driver states; empty where the device did not run at it. `read_mhz` is the
/// clock that the device's sensors showed meanwhile, if any.
std::optional<double> cycles_per_step(double nanoseconds_per_step, double stated_mhz, std::optional<double> read_mhz);

/// The median of the clock at several moments, as the record keeps it; empty where it was not known at one of them.
std::optional<CoreClock> summarize(std::span<const std::optional<CoreClock>> clocks);

/// The same measurement in cycles; empty where its unit is not ns or its clock not known.
std::optional<Measurement> in_cycles(const Measurement& measurement);

/// The core's clock while a point was measured, MHz: the highest of what was measured, read from sensors and stated.
/// For a CPU only the measured clock counts, as its driver may not know of a boost. 0 where nobody knows.
double clock_mhz(const device::DeviceInfo& device, const State& state);

/// The reason in the record where the work that times the clock failed.
std::string without_cycles(const std::string& why);

/// Gives each level its latency in cycles, by the median clock of its own curve's points.
void add_cycles(std::vector<FoundLevel>& levels, std::span<const Measurement> measurements);

}  // namespace sonde::measure
