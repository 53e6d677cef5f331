#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/levels/levels.hpp"
#include "counters/state/device_state.hpp"
#include "counters/traffic/hit_rate.hpp"
#include "counters/traffic/rates.hpp"
#include "device/device.hpp"
#include "measure/frame.hpp"

namespace sonde::measure {

enum class Effort { quick, normal, thorough };

/// What the user asked of a run, as far as a probe may know it.
struct Request {
  Effort effort = Effort::normal;
  std::optional<std::uint64_t> smallest_bytes;
  std::optional<std::uint64_t> largest_bytes;
  std::uint64_t seed = 1;
  std::uint32_t line_bytes = 64;  ///< spacing of lines; one for all APIs of a device, so that curves compare
  /// Spacing of the lines of a walk with one line a page that does not say its own: the smallest page that any GPU or
  /// CPU here uses, so larger pages only hold several of its lines.
  std::uint32_t page_bytes = 4096;
  std::uint64_t stated_cache_bytes = 0;  ///< the largest cache that the system or a driver states; 0 without any
  /// The cache before memory, and behind the GPU's own, that the system states; 0 without any.
  std::uint64_t stated_memory_side_bytes = 0;
  bool counts_traffic = false;          ///< counters see what moves at the fabric and at memory
  Frame frame = {};                     ///< what a probe of frames renders
  std::function<void()> alive = [] {};  ///< to be called now and then while prepare() works for seconds
  bool split_locks = false;  ///< locked operations across two lines may be made, which slow the whole machine down
};

/// Whether a working set of so many bytes is within the sizes that the user asked for, or none were.
bool is_asked_for(const Request& request, double bytes);

/// One thing to measure: which curve (`series`, short fixed words), where on it (`x`) and in which `shape`.
struct Point {
  std::map<std::string, std::string> series;
  std::map<std::string, double> x;
  double expected_seconds = 0;  ///< for the progress bar; only its ratio to the other points' matters
  int replicates = 1;           ///< new allocations, each with a new shuffle, over which the repetitions are spread
  int visits = 1;               ///< times at which it is measured, each after all other points that are wanted with it
  /// How it is to be measured: found at an earlier point, in `State::shape`. Empty: prepare() finds the best.
  std::map<std::string, double> shape;
};

/// What a point is. Two points with equal keys are one point.
struct PointKey {
  std::map<std::string, std::string> series;
  std::map<std::string, double> x;
  std::map<std::string, double> shape;

  friend auto operator<=>(const PointKey&, const PointKey&) = default;
};

inline PointKey key_of(const Point& point) { return {point.series, point.x, point.shape}; }

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
  std::string instruction;              ///< Workload::instruction
  std::optional<CoreClock> core_clock;  ///< right after it was repeated, where it is known
  counters::DeviceState device_state;   ///< while it was repeated
  std::map<std::string, double> shape;  ///< of the kernel and its launch, where a probe looks for the best
  std::optional<PointTraffic> traffic;  ///< in a point's own measurement alone, where traffic is counted
};

/// Every repetition of one point, in the order taken. A further reading of the same repetitions is a Measurement too.
struct Measurement {
  Point point;
  std::string unit;
  std::vector<double> values;
  State state;
  std::vector<std::size_t> visits = {};  ///< how many of the values are of each visit; empty where there was but one
  /// Of what was concluded from values: what another run finds in 95 of 100.
  std::optional<analysis::Bracket> interval = {};
};

/// The median of its values.
double median_of(const Measurement& one);

/// A conclusion, with one sentence of evidence that a reader can check against the samples.
struct Finding {
  std::map<std::string, std::string> series;
  std::string name;
  std::optional<double> value = {};
  std::optional<double> low = {};  ///< of the interval that holds the value, where it is known
  std::optional<double> high = {};
  std::string unit = {};
  std::string evidence = {};
  std::map<std::string, double> details = {};  ///< numbers of the same conclusion, by names with their units
};

/// A level of the memory hierarchy, 1 the nearest, on the curve that `series` names.
struct FoundLevel {
  std::map<std::string, std::string> series;
  int level = 1;
  analysis::Level found;
  std::optional<analysis::Bracket> cycles;  ///< its latency, where the clock is known
  std::optional<analysis::Bracket> gbps;    ///< on a bandwidth curve, which has no latency
  double swept_bytes = 0;                   ///< the largest working set of its curve
  std::string name = {};                    ///< "level 1", "memory", or "beyond" where the last may not be memory
  std::optional<int> matches = {};          ///< on a bandwidth curve: the latency level that is the same cache
};

/// Curves that no level is read from, with the reason in words that tell the user what to do.
struct Unread {
  std::map<std::string, std::string> series;
  std::string reason;
};

/// Everything that a probe reads from its measurements.
struct Conclusion {
  std::vector<FoundLevel> levels;
  std::vector<Finding> findings;
  std::vector<Unread> unread = {};
  /// What measurements say in another unit, by what was concluded from all of them; a record keeps them as samples.
  std::vector<Measurement> derived = {};
};

/// Something else that was seen during the same repetitions: a curve of its own, at the same x or at another.
struct Reading {
  std::map<std::string, std::string> series;  ///< added to the point's, or in place of what it has
  std::string unit;
  std::vector<double> values;
  std::vector<std::size_t> visits = {};  ///< as in `Measurement`
  std::map<std::string, double> x = {};  ///< in place of the point's, which has these names too
};

/// Values in the workload's unit, in the order taken, and what was around them.
struct Repetitions {
  std::vector<double> values;
  std::uint64_t steps = 0;          ///< as in `State`
  std::uint64_t counted_steps = 0;  ///< of each window of `Limits::traffic`; 0 where they are `steps`
  double launch_ns = 0;             ///< as in `State`
  double settling = 0;              ///< share by which untimed laps still got faster when the limit ended them, or 0
  double smt_interference = 0;      ///< as in `State`
  double interrupted = 0;           ///< as in `State`
  bool disturbed = false;           ///< those are among the values, as too few others were taken
  std::vector<std::size_t> visits = {};        ///< as in `Measurement`, where they were taken at several moments
  std::map<std::string, double> reached = {};  ///< x that only the measurement tells; added to the point's
  std::vector<Reading> further = {};           ///< the same ones, in the same order, at every replicate
};

struct Limits;

/// A further reading of the same repetitions; `series` is added to the point's.
struct Also {
  std::map<std::string, std::string> series;
  std::string unit;
  std::function<double(double nanoseconds_per_step)> value;
};

/// Work whose time per step is the measurement. It continues where the last run ended.
struct Workload {
  std::string unit;
  std::uint64_t quantum = 1;  ///< every run is a whole number of these steps
  std::uint64_t most = 1;     ///< steps that one run may take
  std::uint64_t lap = 1;      ///< least steps that touch everything
  /// Steps after which a dispatch has taken in again what its start pushed out of the caches; 0 where nothing is kept.
  /// Short dispatches make them too, so that the difference is free of them.
  std::uint64_t refill = 0;
  bool refills_in_part = false;  ///< fewer steps take in most of it; else so long a lap is through more than is lost
  std::string instruction;       ///< by which the driver had it loaded, where it says
  bool one_core = false;         ///< a single chain: on a CPU device it has to stay on one core
  double bytes_per_step = 0;     ///< that one step asks memory for, all arrays together; 0 where that is not known
  bool has_cycles = true;        ///< its time passes on the device's core, so that it is also given in cycles
  std::function<device::Nanoseconds(std::uint64_t steps)> run;
  /// Why the last run did not do its work, read from device memory; empty when it did.
  std::function<std::optional<std::string>()> flaw;
  /// Whether the last run's threads did not have their cores for all of it; empty where nobody can tell.
  std::function<bool()> interrupted = {};
  std::function<double(double nanoseconds_per_step)> value;
  std::map<std::string, double> shape;  ///< as in `State`
  std::vector<Also> also = {};          ///< what else the same time says
  /// In place of `run`, `flaw` and `value`, where no time per step says it (windows, single round trips): takes its
  /// repetitions itself, untimed ones first, calls `alive` several times a second, throws device::Error where a proof
  /// fails.
  std::function<Repetitions(const Limits& limits, const std::function<void()>& alive)> observe = {};
};

/// A question about a device's memory. Stateless: three functions and what they are called.
struct Probe {
  std::string_view name;
  std::string_view question;  ///< one sentence, shown by `list`, the summary and the report
  /// Why this device cannot be asked; empty when it can.
  std::optional<std::string> (*obstacle)(const device::DeviceInfo& device);
  /// Points still wanted, from what the device says of itself and what is known so far; none when done.
  std::vector<Point> (*next)(const device::DeviceInfo& device, const Request& request, std::span<const Measurement> known);
  /// Work for one point; the same request gives the same work.
  Workload (*prepare)(device::Device& device, const Point& point, const Request& request);
  Conclusion (*conclude)(const Request& request, std::span<const Measurement> measurements);
  /// Findings that rest on what the device says of itself, alone or against what was measured.
  std::vector<Finding> (*stated)(const device::DeviceInfo& device, std::span<const Measurement> measurements) =
      [](const device::DeviceInfo&, std::span<const Measurement>) { return std::vector<Finding>(); };
  /// What all points take, as a multiple of those that it asks for first; as seen on CPUs, for the plan.
  double (*all_over_first)(Effort effort) = [](Effort) { return 1.0; };
  bool spares_a_core = false;    ///< has a thread of its own on the CPU: a CPU device's driver gets the other cores
  bool wants_hit_rates = false;  ///< where traffic is counted, the share that a cache served is a measurement too
  bool of_the_cpu = false;       ///< asked of the host processor itself (api `cpu`), not of a device through its driver
  bool of_the_cpu_too = false;   ///< asked of both
};

/// Whether a probe is asked through an API at all; a simulated device is asked everything, and answers why not.
bool is_asked_through(const Probe& probe, device::Api api);

/// Six significant digits, as a record keeps a value: beyond what any clock here resolves. Conclusions are drawn from
/// such values, so that they are the same from the file.
double six_digits(double value);

/// "4 KiB" for 4096; three digits at most, powers of 1024.
std::string size_text(double bytes);

/// "4.5 us", "8.84 ms": three digits.
std::string time_text(double nanoseconds);

/// "latency vector 4 KiB": a point as a person would name it.
std::string name_of(const Probe& probe, const Point& point);

}  // namespace sonde::measure
