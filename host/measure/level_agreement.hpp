#pragma once

#include <optional>
#include <span>
#include <vector>

#include "measure/probe.hpp"

namespace sonde::measure {

/// What two APIs see differently of one device's hierarchy: another number of levels, or a size whose brackets do not
/// touch. Nothing when they agree, or when one saw no level at all.
std::optional<measure::Finding> disagreement(std::span<const measure::FoundLevel> opencl,
                                             std::span<const measure::FoundLevel> vulkan);

/// The same level as two probes see it; null where one of them does not.
struct LevelOfTwo {
  const measure::FoundLevel* latency = nullptr;
  const measure::FoundLevel* bandwidth = nullptr;
};

/// The levels of both, the nearest first: those next to each other in size are one. Memory is only then the same when
/// what comes before it is; there may be one of each.
std::vector<LevelOfTwo> side_by_side(std::span<const measure::FoundLevel> latency,
                                     std::span<const measure::FoundLevel> bandwidth);

/// Where both see a level and the brackets of its size do not touch; nothing where they agree.
std::optional<measure::Finding> size_disagreement(std::span<const measure::FoundLevel> latency,
                                                  std::span<const measure::FoundLevel> bandwidth);

}  // namespace sonde::measure
