#pragma once

#include <vector>

#include "analysis/levels/levels.hpp"

// Where a measured curve rises, for choosing what to measure next.
namespace sonde::workloads {

/// Two sizes of a curve with none between, in bytes.
struct Interval {
  double low = 0;
  double high = 0;
};

/// Where a rise of the curve begins, is half done or ends between two points that are further apart than 3 % (10 % for
/// the middle, everywhere unless `closely`, and from `close_below_bytes` on).
std::vector<Interval> edge_intervals(const std::vector<analysis::CurvePoint>& cycle, bool closely,
                                     double close_below_bytes = 1e300);

/// Whether the curve rises over its last doubling, so that what it ends in may be a mixture.
bool ends_on_a_rise(const std::vector<analysis::CurvePoint>& cycle);

}  // namespace sonde::workloads
