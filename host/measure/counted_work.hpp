#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "counters/traffic/traffic_meter.hpp"
#include "measure/probe.hpp"

namespace sonde::measure {

/// What counters saw of one point's timed dispatches, replicate by replicate. Without a meter it sees nothing.
class CountedWork {
 public:
  explicit CountedWork(counters::TrafficMeter* meter) : meter_(meter) {}

  /// The same work, counted while it runs.
  [[nodiscard]] Workload counted(Workload workload) const;
  /// After a replicate: keeps what was counted in the windows that its values are of.
  void add(const Workload& workload, const Repetitions& repetitions);

  /// Nothing where no window was counted.
  [[nodiscard]] std::optional<PointTraffic> traffic() const;
  /// The share of each piece's bytes that memory did not have to move; of reads alone where the series only reads.
  [[nodiscard]] std::vector<double> hit_rates(const std::map<std::string, std::string>& series) const;

 private:
  counters::TrafficMeter* meter_;
  std::vector<counters::Traffic> pieces_;
  double moved_bytes_ = 0;
};

}  // namespace sonde::measure
