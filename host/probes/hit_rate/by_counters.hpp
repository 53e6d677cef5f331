#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/last_cache.hpp"
#include "probes/probe.hpp"

// What counters at the fabric and at memory say of the last cache, beside what timing says.
namespace sonde::probes {

bool is_by_counters(const std::map<std::string, std::string>& series);

/// Streams that read, write and do both, over footprints from half to eight times so many bytes: their hit rates can
/// only be counted.
std::vector<Point> counted_streams(const device::DeviceInfo& device, const Request& request, double cache_bytes);

/// A stream of `counted_streams`.
Workload counted_stream(device::Device& device, const Point& point, const Request& request);

/// The cache's effective capacity by what counters saw of the random walk, and by how much its share of hits differs
/// from that by timing, `by_timing`. Findings only where both were measured at three working sets beyond the cache.
std::vector<Finding> findings_by_counters(const analysis::LastCache& cache, std::span<const Measurement> measurements,
                                          std::span<const Measurement> by_timing, double stated_bytes);

}  // namespace sonde::probes
