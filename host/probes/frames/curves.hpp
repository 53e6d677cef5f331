#pragma once

#include "probes/probe.hpp"

// What the frames probe measures.
namespace sonde::probes::frames_probe {

Workload prepare_frames(device::Device& device, const Point& point, const Request& request);

inline constexpr measure::Table table{"Frames", "width, height", "title"};

inline constexpr measure::Curve time{.name = "time",
                                     .title = "Time of a frame",
                                     .unit = "ms",
                                     .axis = measure::axes::height,
                                     .better = measure::Better::lower,
                                     .table = &table,
                                     .prepare = prepare_frames};
/// What the passes of a frame read and write, from caches or from memory.
inline constexpr measure::Curve moved{
    .name = "moved", .title = "Bytes of a frame", .unit = "bytes", .axis = measure::axes::height, .table = &table};
inline constexpr measure::Curve bandwidth{.name = "bandwidth",
                                          .title = "Bandwidth of a frame",
                                          .unit = "GB/s",
                                          .axis = measure::axes::height,
                                          .better = measure::Better::higher,
                                          .table = &table};

}  // namespace sonde::probes::frames_probe
