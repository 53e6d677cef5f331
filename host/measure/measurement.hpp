#pragma once

#include "analysis/levels/levels.hpp"
#include "counters/state/device_state.hpp"
#include "counters/traffic/rates.hpp"
#include "measure/curve.hpp"

namespace sonde::measure {

/// The numbers of a kernel's launch, or of other work, by their names: a search finds them, and a record keeps them.
using Shape = std::map<std::string, double>;

/// One thing to measure: a place on a curve.
struct Point {
  const Curve* curve = nullptr;  ///< null only where a record of another version names a curve that this one lacks
  Words words = {};              ///< the curve's, with those that it varies
  Coordinates x = {};
  double expected_seconds = 0;   ///< of a visit, for the schedule; only its ratio to the other points' matters
  int replicates = 1;            ///< new allocations, each with a new shuffle, over which the repetitions are spread
  int visits = 1;                ///< times at which it is measured, each after all other points that are wanted with it
  int visits_at_once = 1;        ///< of these, how many are due where a plan names it, before any later point
  bool follows_at_once = false;  ///< it tells something only right after the point before it
  bool is_visited_once = false;  ///< a later visit would tell something else, or harm others
  Shape shape = {};              ///< the `State::shape` of an earlier point. Empty: prepare() finds the best.
};

/// A point of `curve` at `x`; `varied` has the words that the curve leaves open.
inline Point point_on(const Curve& curve, const Coordinates& x, const Words& varied = {}, double expected_seconds = 0,
                      int visits = 1) {
  return {.curve = &curve,
          .words = with(curve.words, varied),
          .x = x,
          .expected_seconds = expected_seconds,
          .visits = visits};
}

/// The identity of a point: two points with equal keys are one point.
struct PointKey {
  Words words;
  Coordinates x;
  Shape shape;

  friend auto operator<=>(const PointKey&, const PointKey&) = default;
};

inline PointKey key_of(const Point& point) { return {point.words, point.x, point.shape}; }

/// The clock of the device's core at some moment.
struct CoreClock {
  double mhz = 0;
  std::string source;  ///< the source of its cycles: "shader-clock" or "arithmetic-chain"
};

/// The traffic that counters saw while a point's timed dispatches ran.
struct PointTraffic {
  std::string source;
  counters::Traffic traffic;   ///< all dispatches together, `begin_seconds` by the source's clock
  counters::HitRate hit_rate;  ///< the share for all dispatches together
  bool counts_cpu = false;     ///< the source counts the CPU's bytes, though perhaps not in this time
  unsigned beat_bytes = 0;     ///< bytes of one count at the fabric; 0 where none is counted
  double moved_bytes = 0;      ///< bytes that the kernel asked for meanwhile; 0 where they are not known

  /// Bytes at the fabric, or at memory, for each byte that the kernel asked for, without what the CPU asked for where
  /// that is known; nothing where one of them is not known.
  [[nodiscard]] std::optional<double> fabric_per_byte() const;
  [[nodiscard]] std::optional<double> memory_per_byte() const;
};

/// The circumstances of a measurement.
struct State {
  double foreign_cpu = 0;       ///< share of CPU time that others took meanwhile
  double steal = 0;             ///< share that the hypervisor took
  double smt_interference = 0;  ///< share of the values that were taken while something else worked on the same core
  /// Share of windows or dispatches whose threads did not have their cores for all of it: left out, or disturbing.
  double interrupted = 0;
  bool disturbed = false;  ///< one of these was above the limit
  bool clock_settled = true;
  /// Share by which laps still got faster when the time for untimed ones was over: the caches were still taking the
  /// working set in, and the values are upper bounds. 0 where they had settled.
  double laps_settling = 0;
  std::uint64_t steps = 0;  ///< steps in one timed dispatch
  double launch_ns = 0;     ///< cost of an empty dispatch, already taken off the values
  std::uint64_t involuntary_switches = 0;
  std::string instruction;              ///< `Workload::instruction`
  std::optional<CoreClock> core_clock;  ///< right after it was repeated, where it is known
  counters::DeviceState device_state;   ///< while it was repeated
  Shape shape;                          ///< the kernel and its launch, where a probe looks for the best
};

/// The largest of the shares of its time that others took.
double share_of_others(const State& state);

/// Every repetition of one point, in the order taken. An extra curve's values of the same repetitions are a Measurement
/// too.
struct Measurement {
  Point point;
  std::string unit;  ///< the curve's, or cycles
  std::vector<double> values;
  State state = {};
  std::vector<std::size_t> visits = {};  ///< how many of the values are of each visit; empty where there was but one
  /// The 95 % interval for another run, where the values are a conclusion.
  std::optional<analysis::Bracket> interval = {};
};

/// The median of its values.
double median_of(const Measurement& one);

/// The measurement with such words, at `x` and in a unit; null where there is none.
const Measurement* find(std::span<const Measurement> known, const Words& words, const Coordinates& x,
                        std::string_view unit);
/// The same on a curve.
inline const Measurement* find(std::span<const Measurement> known, const Curve& curve, const Coordinates& x,
                               const Words& varied = {}) {
  return find(known, with(curve.words, varied), x, curve.unit.name);
}

/// A conclusion. Its evidence is a sentence that a reader can check against the samples.
struct Finding {
  const FindingKind* kind = nullptr;  ///< null only where a record of another version names one that this one lacks
  Words words = {};
  std::optional<double> value = {};
  std::optional<double> low = {};  ///< bounds of the interval that holds the value, where it is known
  std::optional<double> high = {};
  std::string unit{kind == nullptr ? "" : kind->unit.name};
  std::string evidence = {};
  std::map<std::string, double> details = {};  ///< numbers of the same conclusion, by names with their units
};

/// A level of the memory hierarchy, 1 the nearest, on the curve that `words` name.
struct FoundLevel {
  Words words = {};
  int level = 1;
  analysis::Level found = {};
  std::optional<analysis::Bracket> cycles = {};  ///< its latency, where the clock is known
  std::optional<analysis::Bracket> gbps = {};    ///< its bandwidth on a bandwidth curve, which has no latency
  double swept_bytes = 0;                        ///< the largest working set of its curve
  std::string name = {};                         ///< "level 1", "memory", or "beyond" where the last may not be memory
  std::optional<int> matches = {};               ///< the latency level that is the same cache, on a bandwidth curve
};

/// Curves that no level is read from, with a reason that advises the user.
struct CurvesWithoutLevels {
  Words words;
  std::string reason;
};

/// Everything that a probe reads from its measurements.
struct Conclusion {
  std::vector<FoundLevel> levels = {};
  std::vector<Finding> findings = {};
  std::vector<CurvesWithoutLevels> without_levels = {};
  /// Values in another unit, concluded from all measurements; a record keeps them as samples.
  std::vector<Measurement> derived = {};

  void add(const std::vector<Finding>& more) { findings.insert(findings.end(), more.begin(), more.end()); }
};

}  // namespace sonde::measure
