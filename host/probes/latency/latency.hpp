#pragma once

#include "measure/level_findings.hpp"
#include "probes/probe.hpp"

namespace sonde::probes::latency_probe {

Workload prepare_cycle(device::Device& device, const Point& point, const Request& request);
Workload prepare_cycle_awake(device::Device& device, const Point& point, const Request& request);
Workload prepare_independent(device::Device& device, const Point& point, const Request& request);
Workload prepare_pages(device::Device& device, const Point& point, const Request& request);
Workload prepare_atomic(device::Device& device, const Point& point, const Request& request);

inline constexpr Table table_of_paths{"Latency by other paths, of walks alone", "bytes", "path, pattern",
                                      "Nothing runs beside these walks: where they reach memory, it may have slept."};

constexpr Curve by_each_path(std::string_view name, std::string_view title, Prepare prepare, const Words& words = {},
                             const Table* table = nullptr, std::string_view varies = "memory, path") {
  return {.name = name,
          .words = words,
          .varies = varies,
          .title = title,
          .unit = units::core_ns,
          .table = table,
          .prepare = prepare};
}
inline constexpr Curve cycle = by_each_path("cycle", "Latency of a dependent load", prepare_cycle, {}, &table_of_paths);
inline constexpr Curve cycle_awake =
    by_each_path("cycle-awake", "Latency of a dependent load while a light stream keeps memory awake",
                 prepare_cycle_awake, {.fabric = measure::Fabric::loaded});
inline constexpr Curve independent = by_each_path("independent", "Latency of loads from random lines",
                                                  prepare_independent, {.order = Order::independent});
/// Lines are a page apart, or as far as `stride` says.
inline constexpr Curve pages = by_each_path("pages", "Latency of loads from one line a page", prepare_pages,
                                            {.order = Order::page}, nullptr, "memory, path, stride");
inline constexpr Curve atomic = by_each_path("atomic", "Latency of an atomic operation", prepare_atomic,
                                             {.pattern = Pattern::read_modify_write}, &table_of_paths);

inline constexpr std::array curves{&cycle_awake, &independent, &pages, &atomic, &cycle};
inline constexpr std::array finding_kinds{&measure::finding_kinds::translation, &measure::finding_kinds::apis_disagree,
                                          &measure::finding_kinds::orders_disagree};

inline constexpr Words vector_path{.memory = "device", .path = Path::vector};

/// The paths beside the vector path, in the order in which they are measured: those of few sizes first.
inline constexpr std::array further_paths{
    Words{.memory = "device", .path = Path::local},
    Words{.memory = "device", .path = Path::vector, .pattern = Pattern::read_modify_write},
    Words{.memory = "device", .path = Path::constant}, Words{.memory = "device", .path = Path::scalar},
    Words{.memory = "device", .path = Path::image}};

}  // namespace sonde::probes::latency_probe
