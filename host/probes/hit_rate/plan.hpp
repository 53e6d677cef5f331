#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/last_cache.hpp"
#include "device/device.hpp"
#include "probes/probe.hpp"

namespace sonde::probes {

/// The series of the walk in what any buffer is made of, or in a kind of memory.
std::map<std::string, std::string> series_of_timing(const std::string& memory = "");

/// What loads take in one series: one of each working set, the median of what is known.
std::vector<analysis::RandomLoad> loads_of(std::span<const Measurement> measurements,
                                           const std::map<std::string, std::string>& series);

/// Whether a last cache may be one before memory rather than one of a GPU's own: where the system states one, or two
/// others come before it.
bool may_be_before_memory(const analysis::LastCache& cache, const Request& request);

/// First a sweep over all sizes. Then, where it shows a last cache, footprints from a third of it to eight times as
/// much, several visits each, and some of them in every other kind of memory.
std::vector<Point> hit_rate_points(const device::DeviceInfo& device, const Request& request,
                                   std::span<const Measurement> known);

}  // namespace sonde::probes
