#pragma once

#include <array>

#include "probes/probe.hpp"

// The curves of contention and what is concluded from them: the CPU's latency while the GPU uses memory, and the
// reverse.
namespace sonde::probes::contention_probe {

Workload prepare_walk(device::Device& device, const Point& point, const Request& request);
Workload prepare_reverse(device::Device& device, const Point& point, const Request& request);

inline constexpr Table cpu_table{"Latency of the CPU while the GPU works", "cpu_threads, gpu_gbps", "title"};
inline constexpr Table gpu_table{"What threads of the CPU cost the GPU", "pattern, cpu_threads", "title"};

inline constexpr Curve walk_under_load{
    .name = "walk-under-load",
    .words = {.beside = Beside::gpu_load, .pattern = Pattern::add, .side = Side::cpu},
    .title = "Latency of the CPU while the GPU uses memory",
    .unit = units::ns,
    .axis = axes::gpu_gbps,
    .table = &cpu_table,
    .prepare = prepare_walk};
/// The control: the GPU computes as much in its first cache, so that a longer latency is the machine's power or heat.
inline constexpr Curve walk_in_control{.name = "walk-in-control",
                                       .words = {.beside = Beside::nothing, .pattern = Pattern::add, .side = Side::cpu},
                                       .title = "Latency of the CPU while the GPU computes in its first cache",
                                       .unit = units::ns,
                                       .axis = axes::load,
                                       .prepare = prepare_walk};
/// The three that follow are seen at the points of both. A stretch of the walk is compared with the idle one before it.
inline constexpr Curve times_idle_under_load{.name = "times-idle-under-load",
                                             .words = walk_under_load.words,
                                             .title = "Latency as a multiple of that with the GPU idle",
                                             .unit = units::ratio,
                                             .axis = axes::load,
                                             .better = Better::lower,
                                             .table = &cpu_table};
inline constexpr Curve times_idle_in_control{.name = "times-idle-in-control",
                                             .words = walk_in_control.words,
                                             .title = "Latency in the control as a multiple of that with the GPU idle",
                                             .unit = units::ratio,
                                             .axis = axes::load,
                                             .better = Better::lower};
inline constexpr Curve gpu_beside_walk{.name = "gpu-beside-walk",
                                       .words = {.pattern = Pattern::add, .side = Side::gpu},
                                       .varies = "beside",
                                       .title = "Bandwidth of the GPU beside the CPU's walk",
                                       .unit = units::gbps,
                                       .axis = axes::load};
/// The windows in cycles of the CPU's own clock, which is read after each. `find_curve` declares them by the curve in
/// ns.
inline constexpr Curve walk_in_cycles{.name = "walk-in-cycles",
                                      .words = {.side = Side::cpu},
                                      .varies = "beside, pattern",
                                      .title = "Latency of the CPU",
                                      .unit = units::cycles};

inline constexpr Curve gpu_latency{.name = "gpu-latency",
                                   .words = {.side = Side::gpu},
                                   .varies = "pattern",
                                   .title = "Latency of the GPU while threads of the CPU use memory",
                                   .unit = units::ns,
                                   .axis = axes::cpu_threads,
                                   .table = &gpu_table,
                                   .prepare = prepare_reverse};
inline constexpr Curve gpu_bandwidth{.name = "gpu-bandwidth",
                                     .words = {.side = Side::gpu},
                                     .varies = "pattern",
                                     .title = "Bandwidth of the GPU while threads of the CPU use memory",
                                     .unit = units::gbps,
                                     .axis = axes::cpu_threads,
                                     .table = &gpu_table,
                                     .prepare = prepare_reverse};
/// Seen at the points of both.
inline constexpr Curve cpu_bandwidth{.name = "cpu-bandwidth",
                                     .words = {.side = Side::cpu},
                                     .varies = "pattern",
                                     .title = "Bandwidth of threads of the CPU beside the GPU",
                                     .unit = units::gbps,
                                     .axis = axes::cpu_threads};

/// The GPU alone stands before the GPU beside a walk, which always says what is `beside`: both may have the same other
/// words, and the first that matches is taken.
inline constexpr std::array<const Curve*, 8> curves{&walk_under_load,       &walk_in_control, &times_idle_under_load,
                                                    &times_idle_in_control, &gpu_latency,     &gpu_bandwidth,
                                                    &gpu_beside_walk,       &cpu_bandwidth};

inline constexpr FindingKind idle_latency{.name = "idle-latency",
                                          .heading = "Latency without load",
                                          .meaning = "The time of a load of the CPU with the GPU idle.",
                                          .better = Better::lower,
                                          .feature = "CPU latency without load"};
inline constexpr FindingKind full_load_latency{
    .name = "full-load-latency",
    .heading = "Latency under full load",
    .meaning = "The time of a load of the CPU while the GPU moves as much as it can.",
    .better = Better::lower,
    .feature = "CPU latency under full load"};
inline constexpr FindingKind load_for_10_percent{
    .name = "load-for-10-percent",
    .heading = "Load that adds 10 % to the latency",
    .meaning = "The bandwidth of the GPU from which on a load of the CPU takes 10 % longer; no value if it never does.",
    .better = Better::higher};
inline constexpr FindingKind load_for_50_percent{
    .name = "load-for-50-percent",
    .heading = "Load that adds 50 % to the latency",
    .meaning = "The bandwidth of the GPU from which on a load of the CPU takes 50 % longer; no value if it never does.",
    .better = Better::higher};
inline constexpr FindingKind cpu_loss{
    .name = "cpu-loss",
    .heading = "What the CPU loses",
    .meaning = "The share of its loads that the CPU loses while the GPU moves as much as it can.",
    .better = Better::lower,
    .feature = "CPU loss",
    .compared = Comparison::by_difference};
inline constexpr FindingKind gpu_loss{
    .name = "gpu-loss",
    .heading = "What the GPU loses",
    .meaning = "The share of its bandwidth that the GPU loses while the most threads of the CPU use memory.",
    .better = Better::lower,
    .named_by = "pattern",
    .feature = "GPU loss",
    .compared = Comparison::by_difference};

inline constexpr std::array<const FindingKind*, 6> finding_kinds{
    &idle_latency, &full_load_latency, &load_for_10_percent, &load_for_50_percent, &cpu_loss, &gpu_loss};

}  // namespace sonde::probes::contention_probe
