#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "measure/runner.hpp"
#include "measure/probe.hpp"

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

/// A point that is measured again and again: how far it moves is how far the machine drifts. A failure is told by
/// whoever measures the points, who knows whether they fail too.
class DriftReference {
 public:
  /// The shortest of these, unless one was chosen before; last one that takes no time, as it is asked for to say why it
  /// cannot be had.
  void choose(const std::vector<Point>& points);

  /// Relative change since the first time; measured every so many calls. A reference that fails is given up: the
  /// point that happens to come next is not to blame.
  std::optional<double> drift(PointRunner& runner);

  [[nodiscard]] const Point& point() const { return *point_; }
  /// Why nothing is known of it any more; without a reason where nobody has to know, or was told.
  struct End {
    std::string reason;
    bool is_error = false;
  };
  [[nodiscard]] const End& end() const { return end_; }
  void forget_end() { end_ = {}; }

 private:
  void give_up(const End& end);

  std::optional<Point> point_;
  std::optional<double> first_;
  std::optional<double> drift_ = 0.0;
  End end_;
  bool failed_ = false;
  int calls_ = 0;
};

}  // namespace sonde::measure
