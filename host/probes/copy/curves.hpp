#pragma once

#include <array>

#include "probes/probe.hpp"

// The curves of copies and what is concluded from them. A way to copy is an engine, the host's memory at one end (none
// within the device) and a direction.
namespace sonde::probes::copy_probe {

Workload prepare_by_queues(device::Device& device, const Point& point, const Request& request);
Workload prepare_by_kernel(device::Device& device, const Point& point, const Request& request);
Workload prepare_by_mapping(device::Device& device, const Point& point, const Request& request);
Workload prepare_beside_kernel(device::Device& device, const Point& point, const Request& request);

/// Copies by the driver's queues, or by those of hardware that can only copy; `queues` in x where there are several.
inline constexpr Curve by_queues{.name = "by-queues",
                                 .varies = "direction, engine, host",
                                 .title = "Bandwidth of copies",
                                 .unit = units::gbps,
                                 .prepare = prepare_by_queues};
/// Copies by a kernel that loads from one side and stores to the other.
inline constexpr Curve by_kernel{.name = "by-kernel",
                                 .words = {.engine = Engine::compute_shader},
                                 .varies = "direction, host",
                                 .title = "Bandwidth of copies by a kernel",
                                 .unit = units::gbps,
                                 .prepare = prepare_by_kernel};
/// Copies by the CPU through a mapping of the device's memory that is made anew for each; by the host's clock.
inline constexpr Curve by_mapping{.name = "by-mapping",
                                  .words = {.engine = Engine::driver, .host = HostMemory::map_memcpy},
                                  .varies = "direction",
                                  .title = "Bandwidth of copies by the CPU through a mapping",
                                  .unit = units::gbps,
                                  .prepare = prepare_by_mapping};
inline constexpr Curve both_ways{.name = "both-ways",
                                 .words = {.counted = Counted::total, .direction = Direction::both},
                                 .varies = "engine, host",
                                 .title = "Bandwidth of copies both ways at once, together",
                                 .unit = units::gbps,
                                 .prepare = prepare_by_queues};
/// Each direction by its own queue's clock, seen at the points of both ways at once.
inline constexpr Curve to_device_of_both{.name = "to-device-of-both",
                                         .words = {.counted = Counted::to_device, .direction = Direction::both},
                                         .varies = "engine, host",
                                         .title = "Bandwidth of copies to the device, beside those to the host",
                                         .unit = units::gbps};
inline constexpr Curve to_host_of_both{.name = "to-host-of-both",
                                       .words = {.counted = Counted::to_host, .direction = Direction::both},
                                       .varies = "engine, host",
                                       .title = "Bandwidth of copies to the host, beside those to the device",
                                       .unit = units::gbps};
inline constexpr Curve beside_kernel{.name = "beside-kernel",
                                     .words = {.beside = Beside::kernel},
                                     .varies = "direction, engine, host",
                                     .title = "Bandwidth of copies beside a kernel",
                                     .unit = units::gbps,
                                     .prepare = prepare_beside_kernel};
/// Seen at the points beside a kernel.
inline constexpr Curve overlap{.name = "overlap",
                               .words = {.beside = Beside::kernel},
                               .varies = "direction, engine, host",
                               .title = "Share of the copies' time that the kernel hides",
                               .unit = units::ratio,
                               .better = Better::higher};

inline constexpr std::array<const Curve*, 8> curves{&beside_kernel,   &overlap,   &both_ways,  &to_device_of_both,
                                                    &to_host_of_both, &by_kernel, &by_mapping, &by_queues};

inline constexpr FindingKind latency{.name = "latency",
                                     .heading = "Latency of a copy",
                                     .meaning = "The time that each copy costs beside its bytes.",
                                     .better = Better::lower,
                                     .named_by = "engine, host, direction",
                                     .feature = "copy latency"};
inline constexpr FindingKind bandwidth{.name = "bandwidth",
                                       .heading = "Bandwidth of a copy",
                                       .meaning = "The rate at which the bytes of large copies go.",
                                       .better = Better::higher,
                                       .named_by = "engine, host, direction",
                                       .feature = "copy bandwidth"};
inline constexpr FindingKind engines{.name = "engines",
                                     .heading = "Copy engines",
                                     .meaning = "The number of copies that an engine has under way at once.",
                                     .better = Better::higher,
                                     .named_by = "engine",
                                     .feature = "copy engines"};
inline constexpr FindingKind overlaps_compute{
    .name = "overlaps-compute",
    .heading = "Copies while computing",
    .meaning = "The share of the copies' time that a kernel beside them hides.",
    .better = Better::higher,
    .named_by = "engine, host, direction"};

inline constexpr std::array<const FindingKind*, 4> finding_kinds{&latency, &bandwidth, &engines, &overlaps_compute};

/// The findings from copies: latency and bandwidth of every way to copy, engines, overlap with kernels.
Conclusion conclude(const Request& request, std::span<const Measurement> measurements);

/// The memory of the host that every engine copies from and to without a detour.
inline constexpr HostMemory host_of_engines = HostMemory::pinned;

}  // namespace sonde::probes::copy_probe
