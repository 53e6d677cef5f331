#pragma once

#include <string>
#include <vector>

#include "measure/probe.hpp"

namespace sonde::measure {

/// What the runner tells whoever listens: a worker's pipe, or a test.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Points that will be measured now, in this order; called again when a probe wants more.
  virtual void planned(const Probe& probe, const std::vector<Point>& points) = 0;
  virtual void started(const Probe& probe, const Point& point) = 0;
  /// Something was done since the last call; a worker that stays silent for too long is taken for hung.
  virtual void alive() = 0;
  virtual void measured(const Probe& probe, const Measurement& measurement) = 0;
  /// What counters saw beside a point, where anything counts.
  virtual void counted(const Probe& probe, const Point& point, const PointTraffic& traffic) {
    (void)probe, (void)point, (void)traffic;
  }
  /// All that the probe found; not called where it found none.
  virtual void found_levels(const Probe& probe, const std::vector<FoundLevel>& levels) = 0;
  virtual void found(const Probe& probe, const Finding& finding) = 0;
  /// `point` is null when it concerns the whole probe.
  virtual void skipped(const Probe& probe, const Point* point, const std::string& reason) = 0;
  virtual void failed(const Probe& probe, const Point* point, const std::string& reason) = 0;
};

}  // namespace sonde::measure
