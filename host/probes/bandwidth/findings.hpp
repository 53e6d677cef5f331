#pragma once

#include <optional>
#include <span>
#include <vector>

#include "probes/bandwidth/curves.hpp"

namespace sonde::probes {

/// `launch`: the us that a dispatch takes beside its bytes, from working sets up to 256 KiB of the curve that tells
/// levels; without a value where fewer than three are known. Nothing where no empty kernel was measured either.
std::optional<Finding> launch_cost(std::span<const Measurement> measurements);

// Some bandwidths cannot be: the time was too short, whatever the reason. Each of these functions gives findings
// `suspicious`, in which the worst point stands for all.

/// One finding for each curve over the working set on which more came from far away than from near.
std::vector<Finding> more_than_from_nearer(std::span<const Measurement> measurements);

/// A finding where more came from beyond the last of the caches in `levels` than memory moves by its clock and width,
/// as far as the driver states both.
std::vector<Finding> more_than_memory_moves(std::span<const Measurement> measurements,
                                            std::span<const FoundLevel> levels);

/// A finding where more than 256 bytes a cycle came to each compute unit, by the fastest clock that anybody states; on
/// a CPU, whose driver may not know of a boost, by the one that was measured.
std::vector<Finding> more_than_units_take(const device::DeviceInfo& device, std::span<const Measurement> measurements);

/// `saturated-by` for each working set that was read by several numbers of groups, the smallest first.
std::vector<Finding> saturations(std::span<const Measurement> measurements);

}  // namespace sonde::probes
