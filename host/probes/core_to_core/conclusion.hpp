#pragma once

#include <span>
#include <vector>

#include "probes/probe.hpp"

namespace sonde::probes {

/// Of each placement what its pairs took, by their medians; where pairs went at once, beside what they took alone.
std::vector<Finding> findings_of_pairs(std::span<const Measurement> measurements);

/// What a locked operation takes on one line and across two, and what each level of another core loses meanwhile.
std::vector<Finding> findings_of_split_locks(std::span<const Measurement> measurements);

}  // namespace sonde::probes
