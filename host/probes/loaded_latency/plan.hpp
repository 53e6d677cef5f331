#pragma once

#include <optional>
#include <span>
#include <vector>

#include "probes/probe.hpp"

namespace sonde::probes {

/// Points of the walk alone, over the working set: they show what is the last cache, and what is memory.
std::vector<Point> idle_points(const device::DeviceInfo& device, const Request& request);

/// One working set in the last cache, where the walk alone shows one, and the largest, which stands for memory.
struct LoadedSets {
  std::optional<double> last_cache_bytes;
  double memory_bytes = 0;
};
LoadedSets loaded_sets(std::span<const Measurement> known);

/// A latency that was measured in one working set beside a load, or alone, and what the load moved.
struct LoadedPoint {
  double gbps = 0;
  double latency_ns = 0;
  double delay = 0;  ///< of no meaning where nothing was moved
  const Measurement* measurement = nullptr;
};
/// The points in the order of falling load; the walk alone comes last.
std::vector<LoadedPoint> loaded_points(std::span<const Measurement> known, double bytes);

/// The delay that is still wanted, as `workloads::delay_in_the_widest_gap` says.
std::optional<double> wanted_delay(const std::vector<LoadedPoint>& points, std::size_t wanted_points);

/// Points beside a load that are still wanted.
std::vector<Point> loaded_points_wanted(const Request& request, std::span<const Measurement> known);

/// The point beside the highest load, of one at least; of those that reach nearly as much, one that no other program
/// disturbed.
const LoadedPoint& fullest(const std::vector<LoadedPoint>& points);

/// More visits to what the findings are read from.
std::vector<Point> more_visits_to_findings(std::span<const Measurement> known);

}  // namespace sonde::probes
