#pragma once

#include <map>
#include <optional>
#include <string>

#include "analysis/statistics.hpp"

// Curves over sizes, read without a fit of levels: the flat stretches of a working set's, the distance of two memories,
// the latency and rate of copies, and whether a driver copies where nobody asked it to.
namespace sonde::analysis {

/// A stretch over which a curve hardly changes: the values there belong to one level.
struct FlatStretch {
  double first_bytes = 0;
  double last_bytes = 0;
  double value = 0;  ///< median
};

/// The change of values with the working set: bandwidth falls, latency rises.
enum class Trend { falls, rises };

/// The flat stretches of a curve, the nearest level first: at least two points within a quarter of each other. Where a
/// farther stretch is better than a nearer one, the nearer is dropped, as its points had too little to do. Good for
/// choosing where to measure, not for finding sizes.
std::vector<FlatStretch> flat_stretches(const std::map<double, double>& value_by_bytes, Trend trend);

/// Latency in ns over working-set size in bytes.
using LatencyBySize = std::map<double, double>;

/// One kind of memory compared with the device's own, by the latency of dependent loads in each. A margin is above
/// zero where its claim holds and below where it does not; the nearer it is to zero, the more likely it is noise.
struct MemoryDistance {
  double bytes = 0;           ///< the largest size that both were measured at
  double own_ns = 0;          ///< latency in the device's own memory at that size
  double other_ns = 0;        ///< latency in the other memory at that size
  double alike_margin = 0;    ///< both are much the same at the largest size and at most others
  double bus_margin = 0;      ///< the other is so much slower that a bus lies between
  double bypass_margin = 0;   ///< at some size a cache serves the device's own memory, but not the other
  double bypassed_bytes = 0;  ///< smallest such size
};

/// Compares two curves where both have a point; empty where there is none.
[[nodiscard]] std::optional<MemoryDistance> compare_memories(const LatencyBySize& own, const LatencyBySize& other);

/// The time of one copy, or of one round between CPU and device.
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
/// `runs` what other runs may read, in any order. A verdict is given only where 95 of 100 other runs would reach it.
[[nodiscard]] ImplicitCopy find_implicit_copy(std::span<const CopyTime> rounds,
                                              std::span<const std::vector<CopyTime>> runs, double copy_gbps);

}  // namespace sonde::analysis
