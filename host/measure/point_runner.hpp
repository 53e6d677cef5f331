#pragma once

#include <optional>
#include <random>
#include <vector>

#include "measure/observer.hpp"
#include "measure/probe.hpp"
#include "measure/runner.hpp"

namespace sonde::measure {

/// What one visit of a point gave.
struct MeasuredPoint {
  std::vector<Measurement> curves;      ///< the point's own first, then extra curves of the same repetitions
  std::optional<PointTraffic> traffic;  ///< where it was counted
};

/// Measures single points of one probe on one device. Both functions throw as the probe's workload does.
class PointRunner {
 public:
  PointRunner(device::Device& device, const Probe& probe, const RunnerOptions& options, Observer& observer)
      : device_(device), probe_(probe), options_(options), observer_(observer), random_(options.request.seed) {}

  /// Visits are counted from 0: each has allocations and a shuffle of its own.
  MeasuredPoint measure_once(const Point& point, int visit = 0);
  /// Measures again while other programs disturb, and keeps the least disturbed. SMT interference was waited for
  /// already.
  MeasuredPoint measure(const Point& point, int visit);

 private:
  std::optional<CoreClock> clock_now(const Point& point);
  void bring_clock_back(const Point& point);

  device::Device& device_;
  const Probe& probe_;
  const RunnerOptions& options_;
  Observer& observer_;
  std::mt19937_64 random_;
  int disturbed_in_a_row_ = 0;
  bool clock_failed_ = false;
  bool clock_recovery_failed_ = false;
};

}  // namespace sonde::measure
