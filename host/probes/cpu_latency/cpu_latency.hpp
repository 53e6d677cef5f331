#pragma once

#include "cpu/topology.hpp"
#include "measure/level_findings.hpp"
#include "probes/probe.hpp"

// What cpu-latency measures and finds. `core` names a kind of core where a processor has several.
namespace sonde::probes {
namespace cpu_latency_probe {

Workload prepare_cycle(device::Device& device, const Point& point, const Request& request);
Workload prepare_independent(device::Device& device, const Point& point, const Request& request);
Workload prepare_pages(device::Device& device, const Point& point, const Request& request);
Workload prepare_between_nodes(device::Device& device, const Point& point, const Request& request);

inline constexpr Table table{
    .title = "Latency of one dependent load on the CPU itself", .rows = "bytes", .columns = "pages, state, core"};
inline constexpr Table table_of_nodes{.title = "Latency of a load from node to node", .rows = "from", .columns = "to"};

inline constexpr Curve cycle{.name = "cycle",
                             .varies = "core, pages, state",
                             .title = "Latency of a dependent load on the CPU itself",
                             .unit = units::core_ns,
                             .table = &table,
                             .prepare = prepare_cycle};
inline constexpr Curve independent{.name = "independent",
                                   .words = {.order = Order::independent},
                                   .varies = "core, pages, state",
                                   .title = "Latency of loads from random lines on the CPU itself",
                                   .unit = units::core_ns,
                                   .prepare = prepare_independent};
inline constexpr Curve pages{.name = "pages",
                             .words = {.order = Order::page},
                             .varies = "core, pages, state",
                             .title = "Latency of loads from one line a page on the CPU itself",
                             .unit = units::core_ns,
                             .prepare = prepare_pages};
inline constexpr Curve same_node{.name = "same-node",
                                 .words = {.placement = Placement::same_node, .state = MemoryState::asleep},
                                 .varies = "pages",
                                 .title = "Latency of memory of the core's own node",
                                 .unit = units::ns,
                                 .axis = axes::from,
                                 .table = &table_of_nodes,
                                 .prepare = prepare_between_nodes};
inline constexpr Curve other_node{.name = "other-node",
                                  .words = {.placement = Placement::other_node, .state = MemoryState::asleep},
                                  .varies = "pages",
                                  .title = "Latency of memory of another node",
                                  .unit = units::ns,
                                  .axis = axes::from,
                                  .table = &table_of_nodes,
                                  .prepare = prepare_between_nodes};

inline constexpr std::array curves{&same_node, &other_node, &independent, &pages, &cycle};

inline constexpr FindingKind node_latency{
    .name = "node-latency",
    .heading = "Latency from node to node",
    .meaning =
        "What a load takes from a core in its own node's memory, and in another's: the median over pairs of "
        "nodes.",
    .unit = units::ns,
    .named_by = "placement",
    .feature = "latency from node to node"};

inline constexpr std::array finding_kinds{&measure::finding_kinds::translation,
                                          &measure::finding_kinds::orders_disagree, &node_latency};

}  // namespace cpu_latency_probe

/// How this machine's memory can be walked.
struct CpuVariants {
  std::vector<measure::CoreKind> kinds;
  bool huge_pages = true;
  bool further_core = true;  ///< for a light stream beside the walk
};

/// Points over the working set that are still wanted. What cannot be had here is asked for once, so that the record
/// says why.
std::vector<Point> cpu_latency_points(const CpuVariants& variants, const device::DeviceInfo& device,
                                      const Request& request, std::span<const Measurement> known);

/// The latency matrix of NUMA nodes: a core of each node that walks through memory of each, on huge pages where there
/// are. One point, which says why, where there is one node; none where --sizes leaves out what stands for memory.
std::vector<Point> node_latency_points(const cpu::Topology& machine, bool huge_pages, const Request& request);

/// The walk of one of these points. Throws device::Unsupported where there is one node, or where a thread or its memory
/// is not kept where the point has it.
Workload node_walk(const cpu::Topology& machine, const Point& point, const Request& request);

}  // namespace sonde::probes
