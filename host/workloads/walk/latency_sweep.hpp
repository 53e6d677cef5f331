#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/levels/levels.hpp"
#include "measure/probe.hpp"
#include "workloads/walk/latency_curves.hpp"
#include "workloads/walk/path.hpp"

namespace sonde::workloads {

/// Where a sweep ends, unless on a rise.
double largest_bytes(const device::DeviceInfo& device, const measure::Request& request);

/// Whether an edge between these sizes is not yet known as closely as it is looked at: within 3 %, or 10 while time is
/// short.
bool is_wide(const analysis::Gap& gap, bool closely);

/// A point at the whole number of lines nearest to `bytes`.
measure::Point sized_point(const measure::Request& request, const std::map<std::string, std::string>& series,
                           double bytes);

/// Sizes on a grid, four a doubling, for the cycle.
std::vector<measure::Point> coarse_points(const device::DeviceInfo& device, const measure::Request& request);

/// Sizes that halve the intervals in which a point tells most about a rise of the cycle, until none tells more than
/// points scatter or they are within 3 %; 10 % on the further paths while time is short; in the large working sets of
/// CPUs 20 %, or not at all.
std::vector<measure::Point> edge_points(const analysis::LatencyCurves& curves, const device::DeviceInfo& device,
                                        const measure::Request& request, Path path = Path::vector);

/// Sizes beyond `end` for a sweep that ends there on a rise, unless --sizes or thorough had it end there: what lies
/// beyond the last cache looks like any climb. Up to twice the end on CPUs, where laps take seconds, four times
/// elsewhere.
std::vector<double> sizes_beyond(const std::vector<analysis::CurvePoint>& cycle, double end,
                                 const device::DeviceInfo& device, const measure::Request& request);

/// Those sizes for the cycle, once a first sweep has ended, as far as a buffer may be large.
std::vector<measure::Point> further_points(const analysis::LatencyCurves& curves, const device::DeviceInfo& device,
                                           const measure::Request& request);

/// Sizes of the independent walk between the edges, and spans of the page walk about them.
std::vector<measure::Point> capacity_points(const analysis::LatencyCurves& curves, const device::DeviceInfo& device,
                                            const measure::Request& request);

}  // namespace sonde::workloads
