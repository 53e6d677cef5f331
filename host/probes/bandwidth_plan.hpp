#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "measure/probe.hpp"
#include "probes/stream_walk.hpp"

namespace sonde::probes {

/// The words of a record file that name a curve of the bandwidth probe, and back.
std::map<std::string, std::string> series_of(Pattern pattern, Sharing sharing);
Sharing sharing_of(const std::map<std::string, std::string>& series);

/// A few working sets, from one that fits any compute unit's nearest cache to the largest, at which prepare() looks for
/// the best shape itself.
std::vector<measure::Point> search_points(const gpu::DeviceInfo& device, const measure::Request& request);

/// The sweeps, each point with the shape that was found at the nearest of the searched working sets.
std::vector<measure::Point> sweep_points(const gpu::DeviceInfo& device, const measure::Request& request,
                                         std::span<const measure::Measurement> searched);

}  // namespace sonde::probes
