#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "probes/probe.hpp"

namespace sonde::probes {

/// Series of the CPU's latency: while the GPU uses memory, and while it computes as much in its first cache.
std::map<std::string, std::string> series_of_load();
std::map<std::string, std::string> series_of_control();

/// What was measured of a series at a load that was asked for, while no thread of the CPU reads; null where nothing
/// was.
const Measurement* at_load(std::span<const Measurement> known, const std::map<std::string, std::string>& series,
                           const std::string& unit, double load);

/// One load that was reached: medians.
struct LoadPoint {
  double gpu_gbps = 0;
  double latency_ns = 0;
  /// Of the latency right before with the GPU idle: free of what the machine does slowly meanwhile. 1 at no load.
  double times_idle = 1;
  const Measurement* measurement = nullptr;
  const Measurement* pairs = nullptr;  ///< what `times_idle` is the median of, where it is
};
/// The main curve with no CPU threads reading, by bandwidth.
std::vector<LoadPoint> load_curve(std::span<const Measurement> known);

/// The bandwidth from which on latency is so many times the idle one at every load, on the line between the points
/// about it; nothing where it is not at the highest.
std::optional<double> load_for(std::span<const LoadPoint> curve, double times);

/// Points still wanted: idle and full load first, as the shape is searched there; then loads evenly between, the
/// control, CPU threads that read (up to `most_threads`; where none can, one point is asked for, so that the record
/// says why), and loads about those where latency has risen by 10 and 50 %.
std::vector<Point> contention_points(const Request& request, std::span<const Measurement> known,
                                     std::optional<std::uint32_t> most_threads);

}  // namespace sonde::probes
