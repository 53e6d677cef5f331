#include "measure/runner.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "analysis/statistics.hpp"
#include "gpu/error.hpp"
#include "measure/cycles.hpp"
#include "measure/one_core.hpp"
#include "measure/repetitions.hpp"

namespace sonde::measure {
namespace {

constexpr int most_attempts = 3;
/// After so many points in a row that no repetition made quiet, the machine is busy for good: points are still
/// measured and labelled, but not repeated.
constexpr int patience = 4;
/// Failures in a row after which a device is not asked any further.
constexpr int most_failures = 3;

/// How far a working set is moved at most, and in what steps.
constexpr std::uint64_t most_displacement_bytes = 16 << 20;
constexpr std::uint64_t displacement_step_bytes = 4096;

/// What every measurement of one probe on one device shares.
struct Run {
  gpu::Device& device;
  const Probe& probe;
  const RunnerOptions& options;
  Observer& observer;
  std::mt19937_64 random;
};

double disturbance(const State& state) { return std::max(state.foreign_cpu, state.steal); }

/// Takes memory away, so that what is allocated next lies elsewhere. Drivers and systems hand out again what was given
/// back last: without this all working sets of a run would share their physical pages, and where those happen to fall
/// in a cache's sets would bend every point the same way. It is written, or nothing would stand behind its addresses.
std::unique_ptr<gpu::Buffer> displacement(Run& run) {
  const gpu::DeviceInfo& info = run.device.info();
  const std::uint64_t room =
      std::min<std::uint64_t>({most_displacement_bytes, run.device.available_bytes() / 16,
                               info.largest_buffer_bytes > 0 ? info.largest_buffer_bytes : most_displacement_bytes});
  const std::uint64_t bytes = run.random() % (room / displacement_step_bytes + 1) * displacement_step_bytes;
  if (bytes == 0) return nullptr;
  std::unique_ptr<gpu::Buffer> buffer = run.device.make_buffer(bytes);
  const std::vector<std::byte> piece(std::min<std::uint64_t>(bytes, 1 << 20));
  for (std::uint64_t offset = 0; offset < bytes; offset += piece.size()) {
    buffer->write(offset, std::span(piece).first(std::min<std::uint64_t>(piece.size(), bytes - offset)));
  }
  return buffer;
}

/// The replicates share what one point may cost.
Limits limits_of_one_replicate(const Run& run, int replicates) {
  Limits limits = limits_of(run.options.request.effort, run.device.info().type);
  limits.least_repetitions = (limits.least_repetitions + replicates - 1) / replicates;
  limits.most_repetitions = (limits.most_repetitions + replicates - 1) / replicates;
  limits.device_time /= replicates;
  return limits;
}

/// A clock that cannot be told costs the cycles, not the point.
std::optional<CoreClock> clock_now(const RunnerOptions& options) {
  try {
    return options.core_clock();
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

/// Adds one replicate's values to those of the replicates before.
void append(std::vector<Measurement>& all, std::size_t index, const Point& point, const std::string& unit,
            const std::vector<double>& values) {
  if (index == all.size()) all.push_back({.point = point, .unit = unit, .values = {}, .state = {}});
  std::ranges::transform(values, std::back_inserter(all[index].values), six_digits);
}

Point with_series(Point point, const std::map<std::string, std::string>& series) {
  for (const auto& [name, word] : series) point.series[name] = word;
  return point;
}

/// The point's own measurement first, then the further readings of the same repetitions, with the same state.
std::vector<Measurement> measure_once(Run& run, const Point& point) {
  const RunnerOptions& options = run.options;
  const auto alive = [&run] { run.observer.alive(); };
  const Limits limits = limits_of_one_replicate(run, point.replicates);
  std::vector<Measurement> all;
  State state;
  std::map<std::string, double> reached;
  std::vector<counters::DeviceState> readings;
  std::vector<std::optional<CoreClock>> clocks;
  const counters::HostTime before = options.host_time();
  for (int replicate = 0; replicate < point.replicates; ++replicate) {
    Request request = options.request;
    request.seed += static_cast<std::uint64_t>(replicate) << 32;
    std::unique_ptr<gpu::Buffer> moved_by = displacement(run);
    const Workload workload = run.probe.prepare(run.device, point, request);
    moved_by.reset();
    alive();
    std::optional<OneCore> one_core;
    if (workload.one_core && run.device.info().type == gpu::DeviceType::cpu) one_core.emplace(options.reading_thread);
    SmtInterference* smt_interference = one_core || run.probe.of_the_cpu ? options.smt_interference.get() : nullptr;
    // Not what was read while the host prepared: the device slept then, and its clock fell.
    const auto begin = std::chrono::steady_clock::now();
    const Repetitions repetitions =
        workload.observe ? workload.observe(limits, alive) : repeat(workload, limits, alive, smt_interference);
    // Not before: the clock fell while the host prepared, and the untimed laps brought it up again.
    clocks.push_back(workload.has_cycles ? clock_now(options) : std::nullopt);
    std::ranges::move(options.device_state_since(begin), std::back_inserter(readings));
    append(all, 0, point, workload.unit, repetitions.values);
    for (std::size_t index = 0; index < repetitions.further.size(); ++index) {
      const Reading& reading = repetitions.further[index];
      append(all, index + 1, with_series(point, reading.series), reading.unit, reading.values);
    }
    for (const auto& [name, value] : repetitions.reached) reached[name] += value / point.replicates;
    state.instruction = workload.instruction;
    state.shape = workload.shape;
    state.steps = repetitions.steps;
    state.launch_ns = repetitions.launch_ns;
    state.smt_interference += six_digits(repetitions.smt_interference / point.replicates);
    state.laps_settling = std::max(state.laps_settling, six_digits(repetitions.settling));
  }
  const counters::ForeignLoad load = counters::load_between(before, options.host_time());
  state.foreign_cpu = load.foreign_cpu;
  state.steal = load.steal;
  state.core_clock = summarize(clocks);
  state.device_state = counters::summarize(readings);
  state.clock_settled = options.clock_settled;
  state.involuntary_switches = load.involuntary_switches;
  for (Measurement& one : all) {
    for (const auto& [name, value] : reached) one.point.x[name] = six_digits(value);
    one.state = state;
  }
  return all;
}

/// A point that is measured again and again: how far it moves is how far the machine drifts.
class Reference {
 public:
  void choose(const std::vector<Point>& points) {
    if (point_ || points.empty()) return;
    point_ = *std::ranges::min_element(points, {}, &Point::expected_seconds);
  }

  /// Relative change since the first time; measured every so many calls. A reference that fails is given up: the
  /// point that happens to come next is not to blame.
  std::optional<double> drift(Run& run) {
    if (!point_ || failed_ || calls_++ % calls_between_looks != 0) return drift_;
    try {
      const Measurement now = measure_once(run, *point_).front();
      const double median = analysis::summarize(now.values).median;
      if (!first_) first_ = median;
      drift_ = median / *first_ - 1;
    } catch (const std::runtime_error&) {
      failed_ = true;
      drift_.reset();
    }
    return drift_;
  }

 private:
  static constexpr int calls_between_looks = 20;
  std::optional<Point> point_;
  std::optional<double> first_;
  std::optional<double> drift_ = 0.0;
  bool failed_ = false;
  int calls_ = 0;
};

/// Measures again while others disturb, and keeps the least disturbed. SmtInterference on the core were waited for
/// already.
std::vector<Measurement> measure(Run& run, const Point& point, int attempts) {
  const auto disturbed_by = [](const std::vector<Measurement>& all) { return disturbance(all.front().state); };
  std::vector<Measurement> best = measure_once(run, point);
  int attempt = 1;
  while (disturbed_by(best) > tolerated_foreign_share && attempt < attempts) {
    std::vector<Measurement> again = measure_once(run, point);
    ++attempt;
    if (disturbed_by(again) < disturbed_by(best)) best = std::move(again);
  }
  for (Measurement& one : best) {
    one.state.attempts = attempt;
    one.state.disturbed = std::max(disturbance(one.state), one.state.smt_interference) > tolerated_foreign_share;
  }
  return best;
}

/// Why a probe has nothing to measure: the sizes that it would have, and the user left out.
std::optional<std::string> left_out(const gpu::DeviceInfo& device, const Probe& probe, const Request& request) {
  Request unlimited = request;
  unlimited.smallest_bytes = 1;  // still sizes asked for: what has none is left out as before
  unlimited.largest_bytes.reset();
  std::vector<double> sizes;
  for (const Point& point : probe.next(device, unlimited, {})) {
    if (const auto bytes = point.x.find("bytes"); bytes != point.x.end()) sizes.push_back(bytes->second);
  }
  if (sizes.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(sizes);
  return "--sizes leaves out all that it measures here, which is " + size_text(least) + " to " + size_text(most);
}

}  // namespace

void run_probe(gpu::Device& device, const Probe& probe, const RunnerOptions& options, Observer& observer) {
  if (const auto obstacle = probe.obstacle(device.info())) {
    observer.skipped(probe, nullptr, *obstacle);
    return;
  }
  std::vector<Measurement> known;
  std::set<std::pair<std::map<std::string, std::string>, std::map<std::string, double>>> asked;
  std::map<std::map<std::string, std::string>, double> ends;  // a device that cannot do one size cannot do larger
  Run run{device, probe, options, observer, std::mt19937_64(options.request.seed)};
  Reference reference;
  int failures = 0;
  int disturbed_in_a_row = 0;
  for (;;) {
    std::vector<Point> points = probe.next(device.info(), options.request, known);
    observer.alive();
    // A probe that failed at a point would ask for it for ever.
    std::erase_if(points, [&](const Point& point) { return !asked.emplace(point.series, point.x).second; });
    if (points.empty()) {
      const bool sizes_asked_for = options.request.smallest_bytes || options.request.largest_bytes;
      if (asked.empty() && sizes_asked_for) {
        if (const auto reason = left_out(device.info(), probe, options.request))
          observer.skipped(probe, nullptr, *reason);
      }
      break;
    }
    observer.planned(probe, points);
    reference.choose(points);
    for (const Point& point : points) {
      const auto end = ends.find(point.series);
      const auto bytes = point.x.find("bytes");
      if (end != ends.end() && bytes != point.x.end() && bytes->second >= end->second) continue;
      observer.started(probe, point);
      try {
        const std::optional<double> drift = reference.drift(run);
        const int attempts = disturbed_in_a_row >= patience ? 1 : most_attempts;
        for (Measurement& one : measure(run, point, attempts)) {
          one.state.drift = drift;
          observer.measured(probe, one);
          // Probes are not shown it again in cycles: to them it would be a point of its own.
          if (const auto cycles = in_cycles(one)) observer.measured(probe, *cycles);
          known.push_back(std::move(one));
        }
        const bool disturbed = disturbance(known.back().state) > tolerated_foreign_share;
        disturbed_in_a_row = disturbed ? disturbed_in_a_row + 1 : 0;
        failures = 0;
      } catch (const gpu::TooShort& reason) {
        observer.skipped(probe, &point, reason.what());
      } catch (const gpu::Unsupported& reason) {
        observer.skipped(probe, &point, reason.what());
        if (bytes != point.x.end()) ends[point.series] = bytes->second;
      } catch (const gpu::Error& error) {
        observer.failed(probe, &point, error.what());
        if (++failures == most_failures) {
          observer.failed(probe, nullptr, "given up after " + std::to_string(failures) + " failures in a row");
          return;
        }
      }
    }
  }
  Conclusion conclusion = probe.conclude(options.request, known);
  add_cycles(conclusion.levels, known);
  for (const FoundLevel& level : conclusion.levels) observer.level(probe, level);
  for (const Finding& finding : conclusion.findings) observer.found(probe, finding);
  for (const Unread& curves : conclusion.unread) {
    const Point place{.series = curves.series};
    observer.skipped(probe, &place, curves.reason);
  }
  for (const Finding& finding : probe.stated(device.info(), known)) observer.found(probe, finding);
}

}  // namespace sonde::measure
