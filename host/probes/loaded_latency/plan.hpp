#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "probes/probe.hpp"

namespace sonde::probes {

/// The walk alone, over the working set: what of it is the last cache, and what is memory.
std::vector<Point> idle_points(const device::DeviceInfo& device, const Request& request);

/// One working set in the last cache, where the walk alone shows one, and the largest, which stands for memory.
struct LoadedSets {
  std::optional<double> last_cache_bytes;
  double memory_bytes = 0;
};
LoadedSets loaded_sets(std::span<const Measurement> known);

/// What was measured beside a load in one working set, and alone: latencies by what the load moved.
struct LoadedPoint {
  double gbps = 0;
  double latency_ns = 0;
  double delay = 0;  ///< of no meaning where nothing was moved
  const Measurement* measurement = nullptr;
};
/// By falling load; the walk alone comes last.
std::vector<LoadedPoint> loaded_points(std::span<const Measurement> known, double bytes);

/// The delay that is still wanted, as `delay_in_the_widest_gap` says.
std::optional<double> wanted_delay(const std::vector<LoadedPoint>& points, std::size_t wanted_points);

/// Points beside a load that are still wanted.
std::vector<Point> loaded_points_wanted(const Request& request, std::span<const Measurement> known);

/// The point beside the highest load, of one at least; of those that reach nearly as much, one that no other program
/// disturbed.
const LoadedPoint& fullest(const std::vector<LoadedPoint>& points);

/// What has to be said of a point that others disturbed: a sentence, or nothing.
std::string disturbance_of(const measure::State& state);

/// Further visits to what the findings are read from.
std::vector<Point> further_visits(std::span<const Measurement> known);

}  // namespace sonde::probes
