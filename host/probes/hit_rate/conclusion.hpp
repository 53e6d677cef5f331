#pragma once

#include <span>

#include "probes/probe.hpp"

namespace sonde::probes {

/// What the last cache holds in each kind of memory, or why nobody can say; and the share of hits at each working set.
Conclusion conclude_hit_rate(const Request& request, std::span<const Measurement> measurements);

}  // namespace sonde::probes
