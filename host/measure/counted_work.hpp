#pragma once

#include "counters/traffic/traffic_meter.hpp"
#include "measure/repetitions.hpp"
#include "measure/workload.hpp"

namespace sonde::measure {

/// The traffic of one point's timed dispatches as counters saw it, replicate by replicate; none without a meter.
class CountedWork {
 public:
  explicit CountedWork(counters::TrafficMeter* meter) : meter_(meter) {}

  /// The same work, counted while it runs.
  [[nodiscard]] Workload counted(Workload workload) const;
  /// Keeps, after a replicate, the counts of the windows that its values come from.
  void add(const Workload& workload, const Repetitions& repetitions);

  /// The traffic of all windows; nothing where none was counted.
  [[nodiscard]] std::optional<PointTraffic> traffic() const;
  /// The share of each piece's bytes that memory did not have to move; of reads alone where nothing is written.
  [[nodiscard]] std::vector<double> hit_rates(const Words& words) const;

 private:
  counters::TrafficMeter* meter_;
  std::vector<counters::Traffic> pieces_;
  double moved_bytes_ = 0;
};

/// A window in which so many steps are made; its traffic is counted while it lives, where that is wanted.
class CountedWindow {
 public:
  CountedWindow(const Limits& limits, std::uint64_t steps) : meter_(limits.traffic), steps_(steps) {
    if (meter_ != nullptr) meter_->begin();
  }
  CountedWindow(const CountedWindow&) = delete;
  CountedWindow& operator=(const CountedWindow&) = delete;
  ~CountedWindow() {
    if (meter_ != nullptr) meter_->end(steps_);
  }

 private:
  counters::TrafficMeter* meter_;
  std::uint64_t steps_;
};

}  // namespace sonde::measure
