#pragma once

#include <optional>
#include <span>

#include "measure/probe.hpp"

namespace sonde::probes {

/// What two APIs see differently of one device's hierarchy: another number of levels, or a size whose brackets do not
/// touch. Nothing when they agree, or when one saw no level at all.
std::optional<measure::Finding> disagreement(std::span<const measure::FoundLevel> opencl,
                                             std::span<const measure::FoundLevel> vulkan);

}  // namespace sonde::probes
