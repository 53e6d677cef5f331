#pragma once

#include <span>
#include <vector>

#include "probes/probe.hpp"

// Bandwidths that cannot be: the time was too short, whatever the reason. Each becomes a finding `suspicious`, in which
// the worst point stands for all.
namespace sonde::probes {

/// Where more came from far away than from near, in each curve over the working set.
std::vector<Finding> more_than_from_nearer(std::span<const Measurement> measurements);

/// Where more came from beyond the last of the caches in `levels` than memory moves by its clock and width, as far as
/// the driver tells both.
std::vector<Finding> more_than_memory_moves(std::span<const Measurement> measurements,
                                            std::span<const FoundLevel> levels);

/// Where more came than 256 bytes a cycle to each compute unit, by the fastest clock that anybody tells; on a CPU,
/// whose driver may not know of a boost, by the one that was measured.
std::vector<Finding> more_than_units_take(const device::DeviceInfo& device, std::span<const Measurement> measurements);

}  // namespace sonde::probes
