#pragma once

#include <span>
#include <vector>

#include "analysis/levels/levels.hpp"

namespace sonde::analysis {

/// The levels of `asleep`, a walk with nothing beside it, with the latencies of `awake`, the same walk beside a stream
/// of as much memory as its own. Sizes stay: the stream takes room in shared caches. A level is read where the walk and
/// the stream both fit it, memory far beyond the last cache; one with fewer than three points there keeps its latency.
std::vector<Level> awake_latency(std::vector<Level> levels, std::span<const CurvePoint> asleep,
                                 std::span<const CurvePoint> awake);

}  // namespace sonde::analysis
