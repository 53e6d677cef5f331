#pragma once

#include <span>
#include <vector>

#include "probes/probe.hpp"

namespace sonde::probes {

/// `peak` for each type: its fastest rate, in Gop/s, and by compute unit and cycle where both are known.
std::vector<Finding> peaks(const device::DeviceInfo& device, std::span<const Measurement> measurements);

/// `half-rate` where halves are slower than singles, or hardly faster although twice as many fit: their ratio.
std::vector<Finding> half_rates(std::span<const Measurement> measurements);

/// `suspicious` where more was computed than any known compute unit does in a cycle; the worst for each type.
std::vector<Finding> more_than_units_compute(const device::DeviceInfo& device, std::span<const Measurement> measurements);

}  // namespace sonde::probes
