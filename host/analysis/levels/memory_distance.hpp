#pragma once

#include <map>
#include <optional>

namespace sonde::analysis {

/// Latency in ns over working-set size in bytes.
using LatencyBySize = std::map<double, double>;

/// How one kind of memory lies beside the device's own, by what a dependent load takes in each. A margin is above zero
/// where its claim holds, below where it does not, and the nearer to zero the more either may be noise.
struct MemoryDistance {
  double bytes = 0;           ///< the largest size that both were measured at
  double own_ns = 0;          ///< there, in the device's own memory
  double other_ns = 0;        ///< there, in the other
  double alike_margin = 0;    ///< much the same at the largest size and at most others
  double bus_margin = 0;      ///< so much slower that something lies between
  double bypass_margin = 0;   ///< somewhere a cache serves the device's own memory, but not the other
  double bypassed_bytes = 0;  ///< the smallest such size
};

/// Compares two curves where both have a point; empty where there is none.
[[nodiscard]] std::optional<MemoryDistance> compare_memories(const LatencyBySize& own, const LatencyBySize& other);

}  // namespace sonde::analysis
