#pragma once

#include <span>
#include <vector>

#include "analysis/levels/levels.hpp"

namespace sonde::analysis {

/// Sizes in bytes.
struct SizeRange {
  double low = 0;
  double high = 0;  ///< infinite for memory
  [[nodiscard]] bool holds(double bytes) const { return low <= bytes && bytes <= high; }
};

/// Where a walk beside a stream of as much memory as its own shows a level alone, one for each level: both fit it, and
/// the level before is gone. Of a level without such sizes `high` is less than `low`.
std::vector<SizeRange> room_for_walk_and_stream(std::span<const Level> levels);

/// The levels of `asleep`, a walk with nothing beside it, with the latencies of `awake`, the same walk beside a stream
/// of as much memory as its own. Sizes stay: the stream takes room in shared caches. A level is read where there is
/// room for both, memory far beyond the last cache; one with fewer than three points there keeps its latency.
std::vector<Level> awake_latency(std::vector<Level> levels, std::span<const CurvePoint> asleep,
                                 std::span<const CurvePoint> awake);

}  // namespace sonde::analysis
