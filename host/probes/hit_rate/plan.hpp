#pragma once

#include <span>
#include <vector>

#include "analysis/last_cache.hpp"
#include "probes/hit_rate/curves.hpp"

namespace sonde::probes {

/// The words of the walk in what any buffer is made of.
inline constexpr Words usual_walk_words{
    .memory = "device", .method = Method::timing, .order = Order::independent, .path = Path::vector};

inline bool is_by_counters(const Words& words) { return words.method == Method::counters; }

/// The latency of loads on one curve: one of each working set, the median of what is known.
std::vector<analysis::RandomLoad> loads_of(std::span<const Measurement> measurements, const Words& words);

/// Whether a last cache may be one before memory rather than one of a GPU's own: where the system states one, or two
/// others come before it.
bool may_be_before_memory(const analysis::LastCache& cache, const Request& request);

/// First a sweep over all sizes. Then, where it shows a last cache, working sets from a third of it to eight times as
/// much, several visits each, and some of them in every other kind of memory; and where traffic is counted, streams
/// that read, write and do both, whose hit rates only counters tell.
std::vector<Point> hit_rate_points(const device::DeviceInfo& device, const Request& request,
                                   std::span<const Measurement> known);

/// What the last cache holds in each kind of memory, or why nobody can say; and the hit rate at each working set.
Conclusion conclude_hit_rate(const Request& request, std::span<const Measurement> measurements);

}  // namespace sonde::probes
