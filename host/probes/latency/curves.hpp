#pragma once

#include <array>

#include "measure/level_findings.hpp"
#include "probes/probe.hpp"

// What the latency probe measures and finds.
namespace sonde::probes::latency_probe {

Workload prepare_cycle(device::Device& device, const Point& point, const Request& request);
Workload prepare_cycle_awake(device::Device& device, const Point& point, const Request& request);
Workload prepare_independent(device::Device& device, const Point& point, const Request& request);
Workload prepare_pages(device::Device& device, const Point& point, const Request& request);
Workload prepare_atomic(device::Device& device, const Point& point, const Request& request);

inline constexpr measure::Table table_of_paths{
    "Latency by other paths, of walks alone", "bytes", "path, pattern",
    "Nothing runs beside these walks: where they reach memory, it may have slept."};

inline constexpr Curve cycle{.name = "cycle",
                             .varies = "memory, path",
                             .title = "Latency of a dependent load",
                             .unit = "ns",
                             .better = measure::Better::lower,
                             .per_clock = 1,
                             .table = &table_of_paths,
                             .prepare = prepare_cycle};
inline constexpr Curve cycle_awake{.name = "cycle-awake",
                                   .words = {.fabric = measure::Fabric::loaded},
                                   .varies = "memory, path",
                                   .title = "Latency of a dependent load while a light stream keeps memory awake",
                                   .unit = "ns",
                                   .better = measure::Better::lower,
                                   .per_clock = 1,
                                   .prepare = prepare_cycle_awake};
inline constexpr Curve independent{.name = "independent",
                                   .words = {.order = measure::Order::independent},
                                   .varies = "memory, path",
                                   .title = "Latency of loads from random lines",
                                   .unit = "ns",
                                   .better = measure::Better::lower,
                                   .per_clock = 1,
                                   .prepare = prepare_independent};
/// Lines are a page apart, or as far as `stride` says.
inline constexpr Curve pages{.name = "pages",
                             .words = {.order = measure::Order::page},
                             .varies = "memory, path, stride",
                             .title = "Latency of loads from one line a page",
                             .unit = "ns",
                             .better = measure::Better::lower,
                             .per_clock = 1,
                             .prepare = prepare_pages};
inline constexpr Curve atomic{.name = "atomic",
                              .words = {.pattern = measure::Pattern::read_modify_write},
                              .varies = "memory, path",
                              .title = "Latency of an atomic operation",
                              .unit = "ns",
                              .better = measure::Better::lower,
                              .per_clock = 1,
                              .table = &table_of_paths,
                              .prepare = prepare_atomic};

inline constexpr std::array curves{&cycle_awake, &independent, &pages, &atomic, &cycle};
inline constexpr std::array finding_kinds{&measure::finding_kinds::translation, &measure::finding_kinds::apis_disagree,
                                          &measure::finding_kinds::probes_disagree,
                                          &measure::finding_kinds::orders_disagree};

inline constexpr Words vector_path{.memory = "device", .path = measure::Path::vector};

/// The paths beside the vector path, in the order in which they are measured.
inline constexpr std::array further_paths{
    Words{.memory = "device", .path = measure::Path::scalar},
    Words{.memory = "device", .path = measure::Path::constant}, Words{.memory = "device", .path = measure::Path::image},
    Words{.memory = "device", .path = measure::Path::local},
    Words{.memory = "device", .path = measure::Path::vector, .pattern = measure::Pattern::read_modify_write}};

}  // namespace sonde::probes::latency_probe
