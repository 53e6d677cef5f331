#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "probes/probe.hpp"

namespace sonde::probes {

/// The series of the round trip: one word there and one back, of what the kinds have nothing to do with.
std::map<std::string, std::string> round_trip_series();

inline bool is_simulated(const device::DeviceInfo& device) { return device.type == device::DeviceType::model; }

/// Whether a series says this of itself.
bool has(const std::map<std::string, std::string>& series, const char* name, const char* word);

/// In every kind of memory the walks, the streams whose shape is searched and the CPU's own work; then the streams that
/// take those shapes over. What a kind cannot do is asked for once, so that it is skipped with its reason.
std::vector<Point> host_memory_points(const device::DeviceInfo& device, const Request& request,
                                      std::span<const Measurement> known);

}  // namespace sonde::probes
