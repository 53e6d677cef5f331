#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/statistics.hpp"
#include "probes/probe.hpp"

namespace sonde::probes {

/// A point of how bandwidth grows with the number of work-groups, not one of a sweep over working sets.
bool is_scaling(const Point& point);

/// Points still wanted to know how many work-groups get all of it: at one working set in each flat stretch of the curve
/// of reading, 1, 2, 4 … groups, then numbers between, until that which suffices is known within an eighth.
std::vector<Point> scaling_points(const device::DeviceInfo& device, const Request& request,
                                  std::span<const Measurement> known);

/// How many work-groups one working set takes.
struct Saturation {
  std::map<std::string, std::string> series;
  double bytes = 0;
  analysis::Estimate groups;  ///< the fewest that were seen to get 95 % of the most, and what another run may see
  double gbps = 0;            ///< of these
  double all_groups = 0;
  double most_gbps = 0;
  double gbps_of_one = 0;
  std::optional<std::pair<double, double>> fewer = {};  ///< the next fewer than these, and their GB/s; not one
};

/// For each working set that was read by several numbers of groups, the nearest first.
std::vector<Saturation> saturation_of(std::span<const measure::Measurement> measurements);

/// `saturated-by` for each working set: the fewest groups that were seen to get 95 % of the most.
std::vector<Finding> saturations(std::span<const Measurement> measurements);

}  // namespace sonde::probes
