#pragma once

#include <span>
#include <vector>

#include "probes/probe.hpp"

namespace sonde::probes {

/// A point of how bandwidth grows with the number of work-groups, not one of a sweep over working sets.
bool is_scaling(const Point& point);

/// Points still wanted to know how many work-groups get all of it: at one working set in each flat stretch of the curve
/// of reading, 1, 2, 4 … groups, then numbers between, until that which suffices is known within an eighth.
std::vector<Point> scaling_points(const gpu::DeviceInfo& device, const Request& request,
                                  std::span<const Measurement> known);

/// `saturated-by` for each working set: the fewest groups that were seen to get 95 % of the most.
std::vector<Finding> saturations(std::span<const Measurement> measurements);

}  // namespace sonde::probes
