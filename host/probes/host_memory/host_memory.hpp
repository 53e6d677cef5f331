#pragma once

#include <set>

#include "probes/probe.hpp"

// What the host-memory probe measures and finds.
namespace sonde::probes::host_memory_probe {

Workload prepare_walk(device::Device& device, const Point& point, const Request& request);
Workload prepare_stream(device::Device& device, const Point& point, const Request& request);
/// One CPU thread walks a random single cycle over the lines of a buffer through its view of it, by the host's clock.
Workload prepare_cpu_walk(device::Device& device, const Point& point, const Request& request);
/// One CPU thread reads or writes the buffer from its beginning to its end, again and again, by the host's clock.
Workload prepare_cpu_stream(device::Device& device, const Point& point, const Request& request);
Workload prepare_round_trip(device::Device& device, const Point& point, const Request& request);

// `writer` is who wrote the working set last: the CPU through its view of the memory, or a kernel, as some caches take
// in only what the GPU wrote.
inline constexpr Curve walk{.name = "walk",
                            .words = {.path = Path::vector},
                            .varies = "memory, writer",
                            .title = "Latency of the GPU's loads, by kind of memory",
                            .unit = units::core_ns,
                            .prepare = prepare_walk};
inline constexpr Curve stream{.name = "stream",
                              .words = {.path = Path::buffer, .sharing = Sharing::separate, .writer = Writer::gpu},
                              .varies = "memory, pattern",
                              .title = "Bandwidth of the GPU, by kind of memory",
                              .unit = units::core_gbps,
                              .prepare = prepare_stream};
inline constexpr Curve cpu_walk{.name = "cpu-walk",
                                .words = {.side = Side::cpu, .writer = Writer::gpu},
                                .varies = "memory",
                                .title = "Latency of the CPU's loads through its view of the memory",
                                .unit = units::ns,
                                .prepare = prepare_cpu_walk};
inline constexpr Curve cpu_stream{.name = "cpu-stream",
                                  .words = {.side = Side::cpu, .writer = Writer::gpu},
                                  .varies = "memory, pattern",
                                  .title = "Bandwidth of one CPU thread through its view of the memory",
                                  .unit = units::gbps,
                                  .prepare = prepare_cpu_stream};
/// One word there and one back, which has nothing to do with the kinds of memory.
inline constexpr Curve round_trip{.name = "round-trip",
                                  .words = {.direction = Direction::both},
                                  .title = "Round trip from the CPU to the device and back",
                                  .unit = units::us,
                                  .prepare = prepare_round_trip};

/// How the latency in a kind of memory compares with that in the first kind.
constexpr FindingKind distance(std::string_view name, std::string_view heading, std::string_view meaning) {
  return {.name = name,
          .heading = heading,
          .meaning = meaning,
          .unit = units::ns,
          .named_by = "memory",
          .feature = "host-memory latency",
          .compared = Comparison::by_word};
}

inline constexpr FindingKind like_device_memory =
    distance("like-device-memory", "As fast as device memory",
             "Latency in this kind of memory is much the same as in the first kind at all sizes; the value is that in "
             "the largest working set.");
inline constexpr FindingKind bypasses_last_level_cache = distance(
    "bypasses-last-level-cache", "Bypasses the last-level cache",
    "This kind of memory has its highest latency at sizes where a cache still serves the first kind; the value "
    "is the latency in the largest working set.");
inline constexpr FindingKind across_the_bus =
    distance("across-the-bus", "Across the bus",
             "Latency in this kind of memory is so much higher than in the first kind that a bus lies between; the "
             "value is that in the largest working set.");
inline constexpr FindingKind slow_for_the_cpu{
    .name = "slow-for-the-cpu",
    .heading = "Slow for the CPU",
    .meaning = "The bandwidth of one CPU thread that reads this kind of memory, which its caches do not hold.",
    .unit = units::gbps,
    .named_by = "memory",
    .feature = "CPU bandwidth"};
inline constexpr FindingKind round_trip_time{
    .name = "round-trip",
    .heading = "Round trip between CPU and GPU",
    .meaning = "The median time in which the CPU signals the device and sees its answer.",
    .unit = units::us,
    .feature = "round trip"};

/// How the kinds of memory compare with the first, and for which of them further visits may tell more.
struct KindsCompared {
  Conclusion conclusion;
  std::set<measure::Name> open;
};

KindsCompared compare_kinds(std::span<const Measurement> measurements);

}  // namespace sonde::probes::host_memory_probe
