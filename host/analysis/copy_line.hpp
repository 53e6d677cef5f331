#pragma once

#include <optional>
#include <span>

namespace sonde::analysis {

/// The time of one copy of so many bytes.
struct CopyTime {
  double bytes = 0;
  double nanoseconds = 0;
};

/// time = latency + bytes / rate.
struct CopyLine {
  double latency_ns = 0;  ///< 0 where no copy is short enough to show it
  double gbps = 0;        ///< bytes a nanosecond
  double worst = 0;       ///< the largest share by which the line misses a time
};

/// A line whose latency is that of the smallest copies and whose rate that of the largest: on a device whose
/// caches hold small copies, sizes between may lie off it. Empty for fewer than two sizes, or where larger
/// copies take no longer.
std::optional<CopyLine> fit_copy_line(std::span<const CopyTime> times);

}  // namespace sonde::analysis
