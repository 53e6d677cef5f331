#pragma once

#include <span>
#include <vector>

#include "probes/probe.hpp"

namespace sonde::probes {

/// How many threads it takes to get nearly all of what memory gives to any number, for each stream and pinning.
std::vector<Finding> saturated_by(std::span<const Measurement> measurements);

/// What stores past the caches gain in memory, for each stream that all threads made by both kinds.
std::vector<Finding> non_temporal_gains(std::span<const Measurement> measurements);

}  // namespace sonde::probes
