#pragma once

#include <map>
#include <optional>

namespace sonde::analysis {

/// Latency in ns over working-set size in bytes.
using LatencyBySize = std::map<double, double>;

/// How one kind of memory lies beside the device's own, by what a dependent load takes in each.
struct MemoryDistance {
  double bytes = 0;              ///< the largest size that both were measured at
  double own_ns = 0;             ///< there, in the device's own memory
  double other_ns = 0;           ///< there, in the other
  bool is_alike = false;         ///< nowhere much slower or faster
  bool is_across_a_bus = false;  ///< so much slower that something lies between
  std::optional<double>
      bypassed_bytes;  ///< a size that a cache serves of the device's own memory, but not of the other
};

/// Compares two curves where both have a point; empty where there is none.
[[nodiscard]] std::optional<MemoryDistance> compare_memories(const LatencyBySize& own, const LatencyBySize& other);

}  // namespace sonde::analysis
