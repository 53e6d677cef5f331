#pragma once

#include <map>
#include <optional>
#include <vector>

// Curves over the working set, read without a fit of levels: their flat stretches, and the distance of two memories.
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

}  // namespace sonde::analysis
