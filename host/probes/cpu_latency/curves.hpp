#pragma once

#include <array>

#include "measure/level_findings.hpp"
#include "probes/probe.hpp"

// What cpu-latency measures and finds. `core` names a kind of core where a processor has several.
namespace sonde::probes::cpu_latency_probe {

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
    .better = Better::lower,
    .named_by = "placement",
    .feature = "latency from node to node"};

inline constexpr std::array finding_kinds{&measure::finding_kinds::translation,
                                          &measure::finding_kinds::orders_disagree, &node_latency};

}  // namespace sonde::probes::cpu_latency_probe
