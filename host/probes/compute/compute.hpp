#pragma once

#include <array>

#include "probes/probe.hpp"
#include "workloads/arithmetic/arithmetic.hpp"

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

inline constexpr std::array curves{&unsupported, &rate, &latency, &roofline, &roofline_bandwidth};

inline constexpr FindingKind peak{
    .name = "peak",
    .heading = "Fastest arithmetic",
    .meaning =
        "The fastest multiply-adds of a type; `operations_per_unit_and_cycle` at `clock_mhz`, and the `ratio_to_fp32`, "
        "stand in details where they are known.",
    .unit = units::core_gops,
    .named_by = "type, operation",
    .feature = "arithmetic rate"};
inline constexpr FindingKind half_rate{
    .name = "half-rate",
    .heading = "Halves are not twice as fast",
    .meaning = "The rate of fp16 over that of fp32, where it is below 1.5 although twice as many fit a register.",
    .unit = units::ratio_of_gain};
inline constexpr FindingKind sustained{
    .name = "sustained",
    .heading = "Arithmetic without a pause",
    .meaning = "The rate of fp32 in the last second of a load without a pause over that in the first.",
    .unit = units::ratio_of_gain};
inline constexpr FindingKind ridge{
    .name = "ridge",
    .heading = "Operations a byte until arithmetic is the limit",
    .meaning =
        "The operations a byte from a level from which on the arithmetic of fp32 is the limit: its `gops` over the "
        "level's `gbps`, both in details.",
    .unit = {"operations/byte"},
    .named_by = "level"};
inline constexpr FindingKind suspicious{
    .name = "suspicious",
    .heading = "Suspicious value",
    .meaning =
        "A rate beyond what any known compute unit does in a cycle, or, in place of a level's ridge, a point of the "
        "roofline above the peak of fp32.",
    .unit = {"Gop/s"},
    .named_by = "type, operation, level"};

inline constexpr std::array finding_kinds{&peak, &half_rate, &sustained, &ridge, &suspicious};

using device::NumberOperation;
using device::NumberType;

/// The words of a type's operation: multiply-add is the word for what integers do in place of fma, dot4 for what bytes
/// do by fours.
Words words_of(NumberType type, NumberOperation operation, Chain chain = Chain::parallel);

/// The rate of multiply-add of a type, by which its shape is found; null where it was not measured.
const Measurement* main_rate(std::span<const Measurement> known, NumberType type);

/// Whether the visits of a rate are so far apart that not all of them had the device alone.
bool visits_disagree(const Measurement& one);

/// `peak` for each type: its fastest rate, in Gop/s, and by compute unit and cycle where both are known.
std::vector<Finding> peaks(const device::DeviceInfo& device, std::span<const Measurement> measurements);

/// `half-rate` where halves are slower than singles, or hardly faster although twice as many fit: their ratio.
std::vector<Finding> half_rates(std::span<const Measurement> measurements);

/// `suspicious` where more was computed than any known compute unit does in a cycle; the worst for each type.
std::vector<Finding> implausible_rates(const device::DeviceInfo& device, std::span<const Measurement> measurements);

// --- whether a device keeps on computing as fast as it begins: ten points of a second each, one right behind the other

/// The points of a long load, in the shape of fp32's peak; none of a simulated device, which nothing heats.
std::vector<Point> sustained_points(const device::DeviceInfo& device, std::span<const Measurement> known);

/// `sustained`: the rate of the last second over that of the first, with what the device said of itself then.
std::vector<Finding> sustained_findings(std::span<const Measurement> measurements);

// --- the roofline: rates with numbers that are read from each level, by how many operations are made for each byte

/// Whether a point is one of the roofline's: at a level or, with no operations at all, on the way to find levels.
inline bool is_of_roofline(const Point& point) { return point.x.operations_per_byte.has_value(); }
/// Whether it is at a level; 0 operations a byte is the level's bandwidth.
inline bool is_at_level(const Point& point) { return is_of_roofline(point) && !point.words.level.empty(); }

/// The bandwidths of memory, and of the first level if wanted, neither of which has to be found.
std::vector<Point> bandwidths_of_ends(const device::DeviceInfo& device, const Request& request, bool with_first_level);

/// A few working sets without operations, by which levels are found.
std::vector<Point> roofline_sweep(const device::DeviceInfo& device, const Request& request);

/// Operations a byte at each level, in the registers that fp32's rate was found with.
std::vector<Point> roofline_points(const device::DeviceInfo& device, const Request& request,
                                   std::span<const Measurement> known);

/// The fastest rate of fp32 and each level's bandwidth that a point lies clearly above, with the point: the roof was
/// measured while something else had part of the device, as a true roof is above all points.
std::vector<std::pair<const Measurement*, const Measurement*>> roofs_below_points(std::span<const Measurement> known);

/// `ridge` for each level: the operations a byte from which on it is arithmetic that limits; `suspicious` in its place
/// where a point lies clearly above the roof.
std::vector<Finding> ridges(std::span<const Measurement> measurements);

}  // namespace sonde::probes::compute_probe
