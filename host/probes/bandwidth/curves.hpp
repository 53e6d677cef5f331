#pragma once

#include "probes/probe.hpp"

// What the bandwidth probe measures and finds.
namespace sonde::probes::bandwidth_probe {

Workload prepare_stream(device::Device& device, const Point& point, const Request& request);
Workload prepare_empty_dispatch(device::Device& device, const Point& point, const Request& request);

inline constexpr Table table{"Bandwidth", "bytes", "pattern, sharing",
                             "Each work-group moves a part of its own, except where all share the set."};
inline constexpr Table table_of_other_paths{"Bandwidth by other paths", "bytes", "path"};

/// The words of the curve that tells levels: every group reads all of the working set, so that a size is what one
/// compute unit sees of it, as in the latency probe. Where each group has a part of its own, the nearest caches add up.
inline constexpr Words level_words{
    .memory = "device", .path = Path::buffer, .pattern = Pattern::read, .sharing = Sharing::shared};

/// Points with `groups` beside `bytes` tell how many work-groups a working set takes; all others are of a sweep.
inline constexpr Curve stream{.name = "stream",
                              .words = {.memory = "device", .path = Path::buffer},
                              .varies = "pattern, sharing",
                              .title = "Bandwidth of streams",
                              .unit = units::core_gbps,
                              .table = &table,
                              .prepare = prepare_stream};
/// The same with the lines that a CPU fetches before it writes them.
inline constexpr Curve on_the_bus{
    .name = "on-the-bus",
    .words = {.bytes_counted = BytesCounted::bus, .memory = "device", .path = Path::buffer},
    .varies = "pattern, sharing",
    .title = "Bandwidth of streams, with the lines that are fetched before they are written",
    .unit = units::core_gbps,
    .table = &table};
inline constexpr Curve image_stream{
    .name = "image-stream",
    .words = {.memory = "device", .path = Path::image, .pattern = Pattern::read, .sharing = Sharing::separate},
    .title = "Bandwidth of reading through the texture unit",
    .unit = units::core_gbps,
    .table = &table_of_other_paths,
    .prepare = prepare_stream};
inline constexpr Curve local_stream{
    .name = "local-stream",
    .words = {.memory = "device", .path = Path::local, .pattern = Pattern::read, .sharing = Sharing::separate},
    .title = "Bandwidth of reading work-group memory",
    .unit = units::core_gbps,
    .table = &table_of_other_paths,
    .prepare = prepare_stream};
inline constexpr Curve empty_dispatch{.name = "empty-dispatch",
                                      .words = level_words,
                                      .title = "Time of an empty dispatch",
                                      .unit = units::core_us,
                                      .axis = axes::groups,
                                      .prepare = prepare_empty_dispatch};

inline constexpr FindingKind launch{
    .name = "launch",
    .heading = "Cost of a dispatch",
    .meaning =
        "The time that a dispatch costs beside its bytes, the a in t = a + n / b: the median over working sets up "
        "to 256 KiB, without a value where fewer than three such sets were measured.",
    .better = Better::lower,
    .feature = "launch cost",
    .per_clock = 1};
/// Its words say which curve: several working sets of one have a finding each.
inline constexpr FindingKind saturated_by{
    .name = "saturated-by",
    .heading = "What saturates the memory",
    .meaning = "The fewest work-groups that get 95 % of the most that any number of them gets from a working set."};
inline constexpr FindingKind suspicious{
    .name = "suspicious", .heading = "Suspicious value", .meaning = "A bandwidth that is not to be believed, and why."};

}  // namespace sonde::probes::bandwidth_probe
