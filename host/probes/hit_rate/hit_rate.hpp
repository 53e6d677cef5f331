#pragma once

#include "analysis/last_cache.hpp"
#include "probes/probe.hpp"

namespace sonde::probes {
namespace hit_rate_probe {

Workload prepare_walk(device::Device& device, const Point& point, const Request& request);
Workload prepare_stream(device::Device& device, const Point& point, const Request& request);

inline constexpr Table table{"Hit rate of the last cache before memory", "bytes", "memory, writer, method"};
inline constexpr Table table_of_streams{"Hit rate of streams in the last cache, by counters", "bytes", "pattern"};

/// Whoever wrote another kind of memory is named, as some caches take in only what the GPU wrote.
inline constexpr Curve walk{.name = "walk",
                            .words = {.method = Method::timing, .order = Order::independent, .path = Path::vector},
                            .varies = "memory, writer",
                            .title = "Latency of loads from uniformly random lines",
                            .unit = units::core_ns,
                            .prepare = prepare_walk};
inline constexpr Curve stream{
    .name = "stream",
    .words = {.memory = "device", .method = Method::counters, .path = Path::buffer, .sharing = Sharing::separate},
    .varies = "pattern",
    .title = "Bandwidth of streams whose hits are counted",
    .unit = units::core_gbps,
    .prepare = prepare_stream};

/// The share of what is measured on another curve.
constexpr Curve share_of(const Curve& curve, Method method, const Table& shown_in, std::string_view name,
                         std::string_view title) {
  Words words = curve.words;
  words.method = method;
  return {.name = name,
          .words = words,
          .varies = curve.varies,
          .title = title,
          .unit = units::ratio_of_gain,
          .table = &shown_in};
}
inline constexpr Curve share_by_timing =
    share_of(walk, Method::timing, table, "share-by-timing", "Hit rate of random loads in the last cache, by timing");
inline constexpr Curve share_by_counters = share_of(walk, Method::counters, table, "share-by-counters",
                                                    "Hit rate of random loads in the last cache, by counters");
inline constexpr Curve share_of_stream = share_of(stream, Method::counters, table_of_streams, "share-of-stream",
                                                  "Hit rate of streams in the last cache, by counters");

inline constexpr FindingKind effective_capacity{
    .name = "effective-capacity",
    .heading = "What the last cache holds",
    .meaning =
        "The bytes that the last cache before memory holds, including the caches before it, as its hit rate shows.",
    .unit = units::bytes,
    .better = Better::higher,
    .named_by = "memory, method",
    .feature = "effective capacity"};
inline constexpr FindingKind methods_differ{
    .name = "methods-differ",
    .heading = "Counters against timing",
    .meaning =
        "The hit rate by counters less that by timing, over the working sets beyond the cache where both are "
        "known; 0 where they agree.",
    .unit = units::ratio,
    .named_by = "memory"};
inline constexpr FindingKind none_seen{.name = "none-seen",
                                       .heading = "No cache before memory seen",
                                       .meaning = "There is no such cache, or it does not serve this kind of memory.",
                                       .named_by = "memory"};
inline constexpr FindingKind contrast_too_small{
    .name = "contrast-too-small",
    .heading = "Hits hardly faster than misses",
    .meaning = "The latency of a miss over that of a hit, where it is below 1.5: too little to tell them apart.",
    .unit = units::ratio,
    .named_by = "memory"};

}  // namespace hit_rate_probe

/// The words of the walk in what any buffer is made of.
inline constexpr Words usual_walk_words{
    .memory = "device", .method = Method::timing, .order = Order::independent, .path = Path::vector};

inline bool is_by_counters(const Words& words) { return words.method == Method::counters; }

/// The latency of loads on one curve: one of each working set, the median of what is known.
std::vector<analysis::RandomLoad> loads_of(std::span<const Measurement> measurements, const Words& words);

/// Whether a last cache may be one before memory rather than one of a GPU's own: where the system states one, or two
/// others come before it.
bool may_be_before_memory(const analysis::LastCache& cache, const Request& request);

/// What the last cache holds in each kind of memory, or why nobody can say; and the hit rate at each working set.
Conclusion conclude_hit_rate(const Request& request, std::span<const Measurement> measurements);

}  // namespace sonde::probes
