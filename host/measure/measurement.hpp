#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/levels/levels.hpp"
#include "counters/state/device_state.hpp"
#include "counters/traffic/hit_rate.hpp"
#include "counters/traffic/rates.hpp"
#include "measure/point.hpp"

namespace sonde::measure {

/// The clock of the device's core at some moment.
struct CoreClock {
  double mhz = 0;
  std::string source;  ///< what tells its cycles: "shader-clock" or "arithmetic-chain"
};

/// What counters saw while a point's timed dispatches ran.
struct PointTraffic {
  std::string source;
  counters::Traffic traffic;   ///< of all of them, `begin_seconds` by the source's clock
  counters::HitRate hit_rate;  ///< of all of them
  bool counts_cpu = false;     ///< the source tells the CPU's bytes, though perhaps not of this time
  unsigned beat_bytes = 0;     ///< of one count at the fabric; 0 where none is counted
  double moved_bytes = 0;      ///< what the kernel asked for meanwhile; 0 where its workload does not say

  /// Bytes at the fabric, or at memory, for each byte that the kernel asked for, without what the CPU asked for where
  /// that is known; nothing where one of them is not known.
  [[nodiscard]] std::optional<double> fabric_per_byte() const;
  [[nodiscard]] std::optional<double> memory_per_byte() const;
};

/// What was around a measurement.
struct State {
  double foreign_cpu = 0;       ///< share of CPU time that others took meanwhile
  double steal = 0;             ///< share that the hypervisor took
  double smt_interference = 0;  ///< share of the values that were taken while something else worked on the same core
  /// Share of windows or dispatches whose threads did not have their cores for all of it: left out, or disturbing.
  double interrupted = 0;
  bool disturbed = false;  ///< still above the limit after being measured again
  int attempts = 1;
  bool clock_settled = true;
  /// Share by which laps still got faster when the time for untimed ones was over: the caches were still taking the
  /// working set in, and the values are upper bounds. 0 where they had settled.
  double laps_settling = 0;
  std::uint64_t steps = 0;  ///< steps in one timed dispatch
  double launch_ns = 0;     ///< cost of an empty dispatch, already taken off the values
  std::uint64_t involuntary_switches = 0;
  /// How far a reference point, measured again and again, had moved by then: 0.01 is 1 %. Empty once it failed.
  std::optional<double> drift = 0.0;
  std::string instruction;              ///< `Workload::instruction`
  std::optional<CoreClock> core_clock;  ///< right after it was repeated, where it is known
  counters::DeviceState device_state;   ///< while it was repeated
  Shape shape;                          ///< of the kernel and its launch, where a probe looks for the best
};

/// Every repetition of one point, in the order taken. An extra curve's values of the same repetitions are a Measurement
/// too.
struct Measurement {
  Point point;
  std::string unit;  ///< the curve's, or cycles
  std::vector<double> values;
  State state = {};
  std::vector<std::size_t> visits = {};  ///< how many of the values are of each visit; empty where there was but one
  /// Of what was concluded from values: what another run finds in 95 of 100.
  std::optional<analysis::Bracket> interval = {};
};

/// The median of its values.
double median_of(const Measurement& one);

}  // namespace sonde::measure
