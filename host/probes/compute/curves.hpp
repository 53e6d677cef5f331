#pragma once

#include <array>

#include "probes/probe.hpp"

// The curves of arithmetic and what is concluded from them. A fused multiply-add, and an integer multiply-add, is two
// operations, dot4 eight.
namespace sonde::probes::compute_probe {

Workload prepare_rate(device::Device& device, const Point& point, const Request& request);
Workload prepare_latency(device::Device& device, const Point& point, const Request& request);
Workload prepare_roofline(device::Device& device, const Point& point, const Request& request);
/// Throws device::Unsupported with the reason why no kernel computes with the type.
Workload prepare_unsupported(device::Device& device, const Point& point, const Request& request);

inline constexpr Table table{"Arithmetic", "type, operation", "title",
                             "A multiply-add is two operations, a dot4 eight."};
inline constexpr Table roofline_table{"Roofline", "operations_per_byte", "level, sharing"};

/// No API's kernels compute with these numbers, and a record says why.
inline constexpr Curve unsupported{
    .name = "unsupported",
    .words = {.chain = Chain::parallel, .operation = measure::Operation::fma, .type = ArithmeticType::bf16},
    .title = "Rate",
    .unit = units::core_gops,
    .axis = axes::groups,
    .prepare = prepare_unsupported};
/// All work-groups compute, or as many as `groups` in x says; `seconds` in x tells which second of a load without a
/// pause it was.
inline constexpr Curve rate{.name = "rate",
                            .words = {.chain = Chain::parallel},
                            .varies = "operation, type",
                            .title = "Rate",
                            .unit = units::core_gops,
                            .axis = axes::groups,
                            .table = &table,
                            .prepare = prepare_rate};
/// A single work-item computes, each step after the one before.
inline constexpr Curve latency{.name = "latency",
                               .words = {.chain = Chain::dependent},
                               .varies = "operation, type",
                               .title = "Latency of one operation",
                               .unit = units::core_ns,
                               .axis = axes::none,
                               .table = &table,
                               .prepare = prepare_latency};

/// The words of multiply-adds of fp32, which the roofline is made of.
inline constexpr Words single_words{
    .chain = Chain::parallel, .operation = measure::Operation::fma, .type = ArithmeticType::fp32};

/// The rate with numbers that are read from a level, over the operations that are made for each byte.
inline constexpr Curve roofline{.name = "roofline",
                                .words = single_words,
                                .varies = "level, sharing",
                                .title = "Rate by operations a byte",
                                .unit = units::core_gops,
                                .axis = axes::operations_per_byte,
                                .table = &roofline_table,
                                .prepare = prepare_roofline};
/// The points of the same stream without operations: those of a level, and those by which levels are found.
inline constexpr Curve roofline_bandwidth{.name = "roofline-bandwidth",
                                          .words = single_words,
                                          .varies = "level, sharing",
                                          .title = "Bandwidth of the stream that computes, without operations",
                                          .unit = units::core_gbps,
                                          .prepare = prepare_roofline};

inline constexpr std::array<const Curve*, 5> curves{&unsupported, &rate, &latency, &roofline, &roofline_bandwidth};

inline constexpr FindingKind peak{
    .name = "peak",
    .heading = "Fastest arithmetic",
    .meaning =
        "The fastest multiply-adds of a type; `operations_per_unit_and_cycle` at `clock_mhz`, and the `ratio_to_fp32`, "
        "stand in details where they are known.",
    .better = Better::higher,
    .named_by = "type, operation",
    .feature = "arithmetic rate",
    .per_clock = -1};
inline constexpr FindingKind half_rate{
    .name = "half-rate",
    .heading = "Halves are not twice as fast",
    .meaning = "The rate of fp16 over that of fp32, where it is below 1.5 although twice as many fit a register.",
    .better = Better::higher};
inline constexpr FindingKind sustained{
    .name = "sustained",
    .heading = "Arithmetic without a pause",
    .meaning = "The rate of fp32 in the last second of a load without a pause over that in the first.",
    .better = Better::higher};
inline constexpr FindingKind ridge{
    .name = "ridge",
    .heading = "Operations a byte until arithmetic is the limit",
    .meaning =
        "The operations a byte from a level from which on the arithmetic of fp32 is the limit: its `gops` over the "
        "level's `gbps`, both in details.",
    .named_by = "level"};
inline constexpr FindingKind suspicious{
    .name = "suspicious",
    .heading = "Suspicious value",
    .meaning =
        "A rate beyond what any known compute unit does in a cycle, or, in place of a level's ridge, a point of the "
        "roofline above the peak of fp32.",
    .named_by = "type, operation, level"};

inline constexpr std::array<const FindingKind*, 5> finding_kinds{&peak, &half_rate, &sustained, &ridge, &suspicious};

}  // namespace sonde::probes::compute_probe
