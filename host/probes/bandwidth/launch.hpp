#pragma once

#include <optional>
#include <span>

#include "measure/probe.hpp"

namespace sonde::probes {

/// `launch`: the us that a dispatch takes beside its bytes, from working sets up to 256 KiB of the curve that tells
/// levels; without a value where fewer than three are known. Nothing where no empty kernel was measured either.
std::optional<measure::Finding> launch(std::span<const measure::Measurement> measurements);

}  // namespace sonde::probes
