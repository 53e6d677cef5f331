#pragma once

#include "analysis/levels/levels.hpp"
#include "measure/probe.hpp"

namespace sonde::measure {

/// Kinds of findings about levels, which every probe that finds levels shares.
namespace finding_kinds {
inline constexpr FindingKind translation{
    .name = "translation",
    .heading = "Address translation",
    .meaning =
        "Beyond so many bytes a walk over pages takes longer although its lines fit a cache: a translation "
        "buffer ends there, not a level.",
    .unit = units::bytes,
    .named_by = "path, pages"};
inline constexpr FindingKind apis_disagree{
    .name = "apis-disagree",
    .heading = "OpenCL and Vulkan disagree",
    .meaning = "The two APIs see levels whose bounds do not touch; the value is the ratio that is furthest from 1.",
    .unit = units::ratio};
inline constexpr FindingKind orders_disagree{
    .name = "orders-disagree",
    .heading = "Two orders of loads disagree",
    .meaning =
        "The cyclic walk and independent loads see sizes of a level that exclude each other; the value is the "
        "size by independent loads over that by the walk.",
    .unit = units::ratio,
    .named_by = "level"};
}  // namespace finding_kinds

/// Adds the conclusions of a curve of latencies: its levels, counted from the nearest that was seen as 1, and a finding
/// for each edge of address translation.
void add_levels(const analysis::Hierarchy& hierarchy, const Words& words, Conclusion& conclusion);

/// The probe's conclusions from its measurements, each level with its name and, where the clock is known, in cycles.
Conclusion conclude(const Probe& probe, const Request& request, std::span<const Measurement> measurements);

/// Names levels of any curves: "level 1", "memory", and "beyond" for a last one whose path ends before memory, or whose
/// curve is still changing or was not swept beyond the largest stated cache.
void name_levels(std::span<FoundLevel> levels, std::uint64_t stated_cache_bytes = 0);

/// The curves that levels are read from: as they are where few of their points were taken beside SMT interference,
/// otherwise without such points, and `conclusion` says which sizes those were. Nothing where too few are left.
std::optional<analysis::LatencyCurves> readable_part(analysis::LatencyCurves curves, const Words& words,
                                                     Conclusion& conclusion);

/// The differences between two APIs' levels of one device: sizes whose brackets do not touch, and a level that only one
/// has, whose latency's bracket does not touch the next one's. The value is the first size over the second, or how much
/// slower the next level is. Nothing when they agree, or when one saw no level at all.
std::optional<Finding> disagreement(std::span<const FoundLevel> opencl, std::span<const FoundLevel> vulkan);

/// Gives each level of a bandwidth curve the number of the latency level that is the same: levels next to each other in
/// size are one. Memory is the same only where the levels before it are.
void match(std::span<const FoundLevel> latency, std::span<FoundLevel> bandwidth);

/// The same level as two probes see it; null where one of them does not.
struct LevelOfTwo {
  const FoundLevel* latency = nullptr;
  const FoundLevel* bandwidth = nullptr;
};

/// The levels of both probes, the nearest first, those that match in one row.
std::vector<LevelOfTwo> side_by_side(std::span<const FoundLevel> latency, std::span<const FoundLevel> bandwidth);

/// Whether a curve of latency was walked by ordinary vector loads, whose levels are compared.
inline bool is_vector_path(const Words& words) { return words.path.value_or(Path::vector) == Path::vector; }

/// The finding about a level whose size the cyclic walk and independent loads disagree about, with the size by
/// independent loads over that by the walk.
Finding order_disagreement(const FoundLevel& level);

}  // namespace sonde::measure
