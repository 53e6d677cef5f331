#pragma once

#include <map>
#include <vector>

namespace sonde::analysis {

/// Where a curve over the working set hardly changes: what lies between is a level's own.
struct FlatStretch {
  double first_bytes = 0;
  double last_bytes = 0;
  double value = 0;  ///< median
};

/// Whether what is far away gives less (bandwidth) or takes longer (latency).
enum class Beyond { less, more };

/// The flat stretches of a curve, nearest first: at least two points within a quarter of each other. One that is better
/// further away than nearer is none: the nearer points had too little to do. Good for choosing where to measure, not
/// for telling sizes.
std::vector<FlatStretch> flat_stretches(const std::map<double, double>& value_by_bytes, Beyond beyond);

}  // namespace sonde::analysis
