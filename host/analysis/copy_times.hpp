#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/statistics.hpp"

// Times over the size of a copy show its latency and rate, and whether a driver copies where nobody asked it to.
namespace sonde::analysis {

/// The time of one copy, or of one round between CPU and device: the median of one visit.
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

/// Fits a line whose latency is that of the smallest copies and whose rate that of the largest; on a device whose
/// caches hold small copies, sizes between may lie off it. Empty for fewer than two sizes, or where larger copies take
/// no longer.
std::optional<CopyLine> fit_copy_line(std::span<const CopyTime> times);

/// The driver's work on a whole buffer when one word of it changes.
struct ImplicitCopy {
  enum class Verdict { none, copy, maintenance, unclear };
  Verdict verdict = Verdict::unclear;
  Estimate gbps = {};    ///< rate by which time grows with the size, for `copy` and `maintenance`
  std::string why = {};  ///< reason for `unclear`
  bool is_open = false;  ///< unclear only because the visits disagree, so that further ones may decide
};

/// Compares rounds at several sizes with the rate of an explicit copy (0: unknown). `rounds` has all visits together,
/// `visits` each by itself, in any order. A verdict is given only where it holds over the whole prediction intervals.
[[nodiscard]] ImplicitCopy find_implicit_copy(std::span<const CopyTime> rounds,
                                              std::span<const std::vector<CopyTime>> visits, double copy_gbps);

}  // namespace sonde::analysis
