#pragma once

#include "measure/level_findings.hpp"
#include "probes/probe.hpp"

// What the latency probe measures and finds.
namespace sonde::probes::latency_probe {

Workload prepare_cycle(device::Device& device, const Point& point, const Request& request);
Workload prepare_cycle_awake(device::Device& device, const Point& point, const Request& request);
Workload prepare_independent(device::Device& device, const Point& point, const Request& request);
Workload prepare_pages(device::Device& device, const Point& point, const Request& request);
Workload prepare_atomic(device::Device& device, const Point& point, const Request& request);

inline constexpr Table table_of_paths{"Latency by other paths, of walks alone", "bytes", "path, pattern",
                                      "Nothing runs beside these walks: where they reach memory, it may have slept."};

inline constexpr Curve cycle{.name = "cycle",
                             .varies = "memory, path",
                             .title = "Latency of a dependent load",
                             .unit = units::core_ns,
                             .table = &table_of_paths,
                             .prepare = prepare_cycle};
inline constexpr Curve cycle_awake{.name = "cycle-awake",
                                   .words = {.fabric = measure::Fabric::loaded},
                                   .varies = "memory, path",
                                   .title = "Latency of a dependent load while a light stream keeps memory awake",
                                   .unit = units::core_ns,
                                   .prepare = prepare_cycle_awake};
inline constexpr Curve independent{.name = "independent",
                                   .words = {.order = Order::independent},
                                   .varies = "memory, path",
                                   .title = "Latency of loads from random lines",
                                   .unit = units::core_ns,
                                   .prepare = prepare_independent};
/// Lines are a page apart, or as far as `stride` says.
inline constexpr Curve pages{.name = "pages",
                             .words = {.order = Order::page},
                             .varies = "memory, path, stride",
                             .title = "Latency of loads from one line a page",
                             .unit = units::core_ns,
                             .prepare = prepare_pages};
inline constexpr Curve atomic{.name = "atomic",
                              .words = {.pattern = Pattern::read_modify_write},
                              .varies = "memory, path",
                              .title = "Latency of an atomic operation",
                              .unit = units::core_ns,
                              .table = &table_of_paths,
                              .prepare = prepare_atomic};

inline constexpr std::array curves{&cycle_awake, &independent, &pages, &atomic, &cycle};
inline constexpr std::array finding_kinds{&measure::finding_kinds::translation, &measure::finding_kinds::apis_disagree,
                                          &measure::finding_kinds::probes_disagree,
                                          &measure::finding_kinds::orders_disagree};

inline constexpr Words vector_path{.memory = "device", .path = Path::vector};

/// The paths beside the vector path, in the order in which they are measured.
inline constexpr std::array further_paths{
    Words{.memory = "device", .path = Path::scalar}, Words{.memory = "device", .path = Path::constant},
    Words{.memory = "device", .path = Path::image}, Words{.memory = "device", .path = Path::local},
    Words{.memory = "device", .path = Path::vector, .pattern = Pattern::read_modify_write}};

}  // namespace sonde::probes::latency_probe
