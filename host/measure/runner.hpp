#pragma once

#include "counters/state/device_state.hpp"
#include "counters/traffic/traffic_meter.hpp"
#include "measure/probe.hpp"
#include "measure/settle.hpp"
#include "measure/smt_interference.hpp"
#include "os/threads.hpp"

namespace sonde::measure {

/// A visit of a point as it is asked for: one measurement in an allocation of its own.
struct Visit {
  Point point;
  int number = 0;  ///< counted from 0; each has allocations and a shuffle of its own
  Look look = Look::first;
};

/// The results of one visit of a point.
struct MeasuredPoint {
  std::vector<Measurement> curves;           ///< the point's own first, then extra curves of the same repetitions
  std::optional<PointTraffic> traffic = {};  ///< empty where it was not counted
};

/// The answer to a visit that was asked for.
struct Answer {
  /// The work was too short for the clock; the device cannot do it, or any larger size of it; it failed; the driver
  /// lost the device, or its process.
  enum class End { measured, too_short, unsupported, failed, lost };
  End end = End::measured;
  std::string reason = {};  ///< empty where it was measured
  MeasuredPoint measured = {};
};

/// The listener to what is measured and concluded: a session, or a test.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Something was done since the last call; a worker that stays silent for too long is taken for hung.
  virtual void alive() {}
  virtual void measured(const Probe& probe, const Measurement& measurement) = 0;
  /// The traffic beside a point, where counters count it.
  virtual void counted(const Probe& probe, const Point& point, const PointTraffic& traffic) {
    (void)probe, (void)point, (void)traffic;
  }
  /// All levels that the probe found; not called where it found none.
  virtual void found_levels(const Probe& probe, const std::vector<FoundLevel>& levels) = 0;
  virtual void found(const Probe& probe, const Finding& finding) = 0;
  /// `point` is null when it concerns the whole probe.
  virtual void skipped(const Probe& probe, const Point* point, const std::string& reason) = 0;
  virtual void failed(const Probe& probe, const Point* point, const std::string& reason) = 0;
};

/// A visit is disturbed where others or the hypervisor took a larger share of CPU time, and another is made for it.
inline constexpr double tolerated_foreign_share = 0.05;

struct RunnerOptions {
  Request request;
  bool clock_settled = true;
  std::function<counters::HostTime()> host_time = counters::read_host_time;
  /// The clocks, temperatures and power that were read since a moment; none where nobody reads them.
  std::function<std::vector<counters::DeviceState>(std::chrono::steady_clock::time_point)> device_state_since =
      [](std::chrono::steady_clock::time_point) { return std::vector<counters::DeviceState>{}; };
  /// The device's core clock now, measured by a little work of its own; empty where it cannot be.
  std::function<std::optional<CoreClock>()> core_clock = [] { return std::optional<CoreClock>{}; };
  /// Brings the device's clock back up before a point is measured; null where it needs none.
  std::shared_ptr<ClockRecovery> clock_recovery;
  /// Whether something else works on the core that a CPU is measured on; null where that is not known.
  std::shared_ptr<SmtInterference> smt_interference;
  std::shared_ptr<counters::TrafficMeter> traffic;  ///< null where nobody counts what moves
  os::ThreadId reading_thread = 0;  ///< the thread that reads them, if any; kept off the core that a CPU is measured on
};

/// Asks `device` the probe's question at the look of the request, in this process: every point that the probe wants,
/// measured, proved and reported; a point that fails or cannot be measured is reported with its reason and the rest
/// goes on. Returns whether `device` can be asked further: not where it was lost, or every point failed.
bool run_probe(device::Device& device, const Probe& probe, const RunnerOptions& options, Observer& observer);

}  // namespace sonde::measure
