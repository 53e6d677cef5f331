#pragma once

#include "probes/probe.hpp"

// What the frames probe measures.
namespace sonde::probes::frames_probe {

Workload prepare_frames(device::Device& device, const Point& point, const Request& request);

inline constexpr Table table{"Frames", "width, height", "title"};

inline constexpr Curve time{.name = "time",
                            .title = "Time of a frame",
                            .unit = units::ms,
                            .axis = axes::height,
                            .table = &table,
                            .prepare = prepare_frames};
/// What the passes of a frame read and write, from caches or from memory.
inline constexpr Curve moved{
    .name = "moved", .title = "Bytes of a frame", .unit = units::bytes, .axis = axes::height, .table = &table};
inline constexpr Curve bandwidth{
    .name = "bandwidth", .title = "Bandwidth of a frame", .unit = units::gbps, .axis = axes::height, .table = &table};

}  // namespace sonde::probes::frames_probe
