#pragma once

#include <optional>
#include <span>
#include <vector>

#include "measure/probe.hpp"

namespace sonde::measure {

/// What two APIs see differently of one device's hierarchy: sizes whose brackets do not touch, and a level that only
/// one has, whose latency's bracket does not touch the next one's. Its number is the first's size over the second's, or
/// how much slower the next level is. Nothing when they agree, or when one saw no level at all.
std::optional<measure::Finding> disagreement(std::span<const measure::FoundLevel> opencl,
                                             std::span<const measure::FoundLevel> vulkan);

/// Gives each level of a bandwidth curve the number of the latency level that is the same: those next to each other in
/// size are one. Memory is only then the same when what comes before it is.
void match(std::span<const measure::FoundLevel> latency, std::span<measure::FoundLevel> bandwidth);

/// The same level as two probes see it; null where one of them does not.
struct LevelOfTwo {
  const measure::FoundLevel* latency = nullptr;
  const measure::FoundLevel* bandwidth = nullptr;
};

/// The levels of both, the nearest first, those that match in one row.
std::vector<LevelOfTwo> side_by_side(std::span<const measure::FoundLevel> latency,
                                     std::span<const measure::FoundLevel> bandwidth);

/// Where levels match and the brackets of their sizes do not touch, with latency's size over bandwidth's; nothing where
/// they agree.
std::optional<measure::Finding> size_disagreement(std::span<const measure::FoundLevel> latency,
                                                  std::span<const measure::FoundLevel> bandwidth);

/// Of a level whose size the orders of loads disagree about: what each says, with that of independent loads over that
/// of walks in turn.
measure::Finding order_disagreement(const measure::FoundLevel& level);

}  // namespace sonde::measure
