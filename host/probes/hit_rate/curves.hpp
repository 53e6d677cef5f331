#pragma once

#include "probes/probe.hpp"

// What the hit-rate probe measures and finds.
namespace sonde::probes::hit_rate_probe {

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
inline constexpr Curve share_by_timing{.name = "share-by-timing",
                                       .words = walk.words,
                                       .varies = "memory, writer",
                                       .title = "Hit rate of random loads in the last cache, by timing",
                                       .unit = units::ratio,
                                       .better = Better::higher,
                                       .table = &table};
inline constexpr Curve share_by_counters{
    .name = "share-by-counters",
    .words = {.method = Method::counters, .order = Order::independent, .path = Path::vector},
    .varies = "memory, writer",
    .title = "Hit rate of random loads in the last cache, by counters",
    .unit = units::ratio,
    .better = Better::higher,
    .table = &table};
inline constexpr Curve stream{
    .name = "stream",
    .words = {.memory = "device", .method = Method::counters, .path = Path::buffer, .sharing = Sharing::separate},
    .varies = "pattern",
    .title = "Bandwidth of streams whose hits are counted",
    .unit = units::core_gbps,
    .prepare = prepare_stream};
inline constexpr Curve share_of_stream{.name = "share-of-stream",
                                       .words = stream.words,
                                       .varies = "pattern",
                                       .title = "Hit rate of streams in the last cache, by counters",
                                       .unit = units::ratio,
                                       .better = Better::higher,
                                       .table = &table_of_streams};

inline constexpr FindingKind effective_capacity{
    .name = "effective-capacity",
    .heading = "What the last cache holds",
    .meaning =
        "The bytes that the last cache before memory holds, including the caches before it, as its hit rate shows.",
    .better = Better::higher,
    .named_by = "memory, method",
    .feature = "effective capacity"};
inline constexpr FindingKind methods_differ{
    .name = "methods-differ",
    .heading = "Counters against timing",
    .meaning =
        "The hit rate by counters less that by timing, over the working sets beyond the cache where both are "
        "known; 0 where they agree.",
    .named_by = "memory"};
inline constexpr FindingKind none_seen{.name = "none-seen",
                                       .heading = "No cache before memory seen",
                                       .meaning = "There is no such cache, or it does not serve this kind of memory.",
                                       .named_by = "memory"};
inline constexpr FindingKind contrast_too_small{
    .name = "contrast-too-small",
    .heading = "Hits hardly faster than misses",
    .meaning = "The latency of a miss over that of a hit, where it is below 1.5: too little to tell them apart.",
    .named_by = "memory"};

}  // namespace sonde::probes::hit_rate_probe
