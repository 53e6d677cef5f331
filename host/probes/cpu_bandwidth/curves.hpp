#pragma once

#include <array>

#include "probes/probe.hpp"

// The curves of cpu-bandwidth, and what is concluded from them.
namespace sonde::probes::cpu_bandwidth_probe {

Workload prepare_stream(device::Device& device, const Point& point, const Request& request);
Workload prepare_between_nodes(device::Device& device, const Point& point, const Request& request);

inline constexpr Table by_working_set{
    .title = "Bandwidth of the CPU itself, what the program reads and writes, by working set",
    .rows = "bytes",
    .columns = "pattern, cpu_threads"};
inline constexpr Table in_the_largest{
    .title = "Bandwidth of the CPU itself in the largest working set, what the program reads and writes",
    .rows = "pattern",
    .columns = "stores, cpu_threads"};
inline constexpr Table by_spread_threads{
    .title = "Bandwidth of the CPU itself in the largest working set, threads in turn over all nodes and clusters",
    .rows = "cpu_threads",
    .columns = "pattern"};
inline constexpr Table from_node_to_node{
    .title = "All cores of a node reading, from node to node", .rows = "from", .columns = "to"};

inline constexpr Curve read{
    .name = "read",
    .words = {.bytes_counted = BytesCounted::program, .pattern = Pattern::read, .pinning = Pinning::compact},
    .title = "Bandwidth of reading",
    .unit = units::gbps,
    .table = &by_working_set,
    .prepare = prepare_stream};
inline constexpr Curve write{.name = "write",
                             .words = {.bytes_counted = BytesCounted::program,
                                       .pattern = Pattern::write,
                                       .pinning = Pinning::compact,
                                       .stores = Stores::ordinary},
                             .title = "Bandwidth of writing",
                             .unit = units::gbps,
                             .table = &by_working_set,
                             .prepare = prepare_stream};
inline constexpr Curve triad{.name = "triad",
                             .words = {.bytes_counted = BytesCounted::program,
                                       .pattern = Pattern::triad,
                                       .pinning = Pinning::compact,
                                       .stores = Stores::ordinary},
                             .title = "Bandwidth of STREAM's triad",
                             .unit = units::gbps,
                             .table = &by_working_set,
                             .prepare = prepare_stream};
/// The streams that are measured in memory alone.
inline constexpr Curve in_memory{.name = "in-memory",
                                 .words = {.bytes_counted = BytesCounted::program, .pinning = Pinning::compact},
                                 .varies = "pattern, stores",
                                 .title = "Bandwidth of a stream in memory",
                                 .unit = units::gbps,
                                 .axis = axes::cpu_threads,
                                 .table = &in_the_largest,
                                 .prepare = prepare_stream};
inline constexpr Curve spread_threads{.name = "spread-threads",
                                      .words = {.bytes_counted = BytesCounted::program, .pinning = Pinning::spread},
                                      .varies = "pattern, stores",
                                      .title =
                                          "Bandwidth of a stream in memory, threads in turn over all nodes and "
                                          "clusters",
                                      .unit = units::gbps,
                                      .axis = axes::cpu_threads,
                                      .table = &by_spread_threads,
                                      .prepare = prepare_stream};
/// Seen in memory at the points of ordinary stores: the same time by what moves if each line that is written is read
/// first. It is arithmetic, not counted.
inline constexpr Curve on_the_bus{
    .name = "on-the-bus",
    .words = {.bytes_counted = BytesCounted::bus},
    .varies = "pattern, pinning, stores",
    .title = "Bandwidth of a stream, with the lines that are read before they are written",
    .unit = units::gbps};
inline constexpr Curve same_node{.name = "same-node",
                                 .words = {.bytes_counted = BytesCounted::program,
                                           .pattern = Pattern::read,
                                           .pinning = Pinning::compact,
                                           .placement = Placement::same_node},
                                 .title = "All cores of a node reading its own memory",
                                 .unit = units::gbps,
                                 .axis = axes::from,
                                 .table = &from_node_to_node,
                                 .prepare = prepare_between_nodes};
inline constexpr Curve other_node{.name = "other-node",
                                  .words = {.bytes_counted = BytesCounted::program,
                                            .pattern = Pattern::read,
                                            .pinning = Pinning::compact,
                                            .placement = Placement::other_node},
                                  .title = "All cores of a node reading another node's memory",
                                  .unit = units::gbps,
                                  .axis = axes::from,
                                  .table = &from_node_to_node,
                                  .prepare = prepare_between_nodes};

inline constexpr std::array<const Curve*, 8> curves{&read,           &write,      &triad,     &in_memory,
                                                    &spread_threads, &on_the_bus, &same_node, &other_node};

inline constexpr FindingKind saturated_by{
    .name = "saturated-by",
    .heading = "What saturates the memory",
    .meaning =
        "The fewest threads that get 90 % of what memory gives to any number of them; `threads_for_99_percent` in "
        "details is the same for 99 %.",
    .named_by = "pattern, pinning, stores"};
inline constexpr FindingKind non_temporal_gain{
    .name = "non-temporal-gain",
    .heading = "What non-temporal stores gain",
    .meaning = "The ratio of the bandwidth in memory by non-temporal stores to that by ordinary ones.",
    .better = Better::higher,
    .named_by = "pattern",
    .feature = "gain of non-temporal stores"};
inline constexpr FindingKind node_bandwidth{
    .name = "node-bandwidth",
    .heading = "Bandwidth from node to node",
    .meaning = "What all cores of a node read together from the memory of a node, the median over pairs of nodes.",
    .better = Better::higher,
    .named_by = "placement",
    .feature = "bandwidth from node to node"};
inline constexpr FindingKind nodes_crossing{
    .name = "nodes-crossing",
    .heading = "All nodes reading from the next one",
    .meaning =
        "The ratio of what all nodes' cores read from the next node's memory, all at once, to what they read from "
        "their own.",
    .better = Better::higher,
    .feature = "all nodes crossing"};

inline constexpr std::array<const FindingKind*, 4> finding_kinds{&saturated_by, &non_temporal_gain, &node_bandwidth,
                                                                 &nodes_crossing};

}  // namespace sonde::probes::cpu_bandwidth_probe
