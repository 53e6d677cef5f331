#pragma once

#include <random>

#include "measure/probe.hpp"
#include "measure/runner.hpp"

namespace sonde::measure {

/// The results of one visit of a point.
struct MeasuredPoint {
  std::vector<Measurement> curves;      ///< the point's own first, then extra curves of the same repetitions
  std::optional<PointTraffic> traffic;  ///< empty where it was not counted
};

/// Measures single points of one probe on one device. Both functions throw as the probe's workload does.
class PointRunner {
 public:
  PointRunner(device::Device& device, const Probe& probe, const RunnerOptions& options, Observer& observer)
      : device_(device), probe_(probe), options_(options), observer_(observer), random_(options.request.seed) {}

  /// Visits are counted from 0: each has allocations and a shuffle of its own.
  MeasuredPoint measure_once(const Point& point, int visit = 0);
  /// Measures again while other programs disturb, and keeps the least disturbed visit. SMT interference was waited for
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

/// A point that is measured again and again, as its change is the drift of the machine. Its failures are reported by
/// the caller, who knows whether other points fail too.
class DriftReference {
 public:
  /// Chooses the shortest of these, unless one was chosen before. A point that takes no time is the last choice, as it
  /// is only planned to record why it cannot be measured.
  void choose(const std::vector<Point>& points);

  /// The relative change since the first time, measured once in some calls. A reference that fails is given up: the
  /// point that happens to come next is not to blame.
  std::optional<double> drift(PointRunner& runner);

  [[nodiscard]] const Point& point() const { return *point_; }
  /// The end of a reference that failed; without a reason where none has to be recorded.
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
