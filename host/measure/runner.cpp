#include "measure/runner.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "gpu/error.hpp"
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

double disturbance(const State& state) { return std::max(state.foreign_cpu, state.steal); }

Measurement measure_once(gpu::Device& device, const Probe& probe, const Point& point, const RunnerOptions& options,
                         Observer& observer) {
  const auto alive = [&observer] { observer.alive(); };
  const Workload workload = probe.prepare(device, point, options.request);
  observer.alive();
  std::optional<OneCore> one_core;
  if (workload.one_core && device.info().type == gpu::DeviceType::cpu) one_core.emplace();

  const counters::HostTime before = options.host_time();
  const Repetitions repetitions = repeat(workload, limits_of(options.request.effort), alive);
  const counters::ForeignLoad load = counters::load_between(before, options.host_time());
  return {.point = point,
          .unit = workload.unit,
          .values = repetitions.values,
          .state = {.foreign_cpu = load.foreign_cpu,
                    .steal = load.steal,
                    .clock_settled = options.clock_settled,
                    .steps = repetitions.steps,
                    .launch_ns = repetitions.launch_ns,
                    .involuntary_switches = load.involuntary_switches}};
}

/// Measures again while others disturb, and keeps the least disturbed.
Measurement measure(gpu::Device& device, const Probe& probe, const Point& point, const RunnerOptions& options,
                    int attempts, Observer& observer) {
  Measurement best = measure_once(device, probe, point, options, observer);
  int attempt = 1;
  while (disturbance(best.state) > tolerated_foreign_share && attempt < attempts) {
    Measurement again = measure_once(device, probe, point, options, observer);
    ++attempt;
    if (disturbance(again.state) < disturbance(best.state)) best = std::move(again);
  }
  best.state.attempts = attempt;
  best.state.disturbed = disturbance(best.state) > tolerated_foreign_share;
  return best;
}

}  // namespace

void run_probe(gpu::Device& device, const Probe& probe, const RunnerOptions& options, Observer& observer) {
  if (const auto obstacle = probe.obstacle(device.info())) {
    observer.skipped(probe, nullptr, *obstacle);
    return;
  }
  std::vector<Measurement> known;
  std::set<std::map<std::string, std::string>> ended_series;  // a device that cannot do one size cannot do larger
  int failures = 0;
  int disturbed_in_a_row = 0;
  for (;;) {
    const std::vector<Point> points = probe.next(device.info(), options.request, known);
    const std::size_t known_before = known.size();
    observer.planned(probe, points);
    for (const Point& point : points) {
      if (ended_series.contains(point.series)) continue;
      observer.started(probe, point);
      try {
        const int attempts = disturbed_in_a_row >= patience ? 1 : most_attempts;
        known.push_back(measure(device, probe, point, options, attempts, observer));
        observer.measured(probe, known.back());
        disturbed_in_a_row = known.back().state.disturbed ? disturbed_in_a_row + 1 : 0;
        failures = 0;
      } catch (const gpu::Unsupported& reason) {
        observer.skipped(probe, &point, reason.what());
        ended_series.insert(point.series);
      } catch (const gpu::Error& error) {
        observer.failed(probe, &point, error.what());
        if (++failures == most_failures) {
          observer.failed(probe, nullptr, "given up after " + std::to_string(failures) + " failures in a row");
          return;
        }
      }
    }
    // A probe that was given nothing new would ask for the same points for ever.
    if (known.size() == known_before) break;
  }
  for (const Finding& finding : probe.conclude(known)) observer.found(probe, finding);
}

}  // namespace sonde::measure
