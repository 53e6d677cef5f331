#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/levels/levels.hpp"
#include "probes/probe.hpp"

namespace sonde::probes {

/// The curve that tells levels: every group reads all of the working set, so that a size is what one compute unit sees
/// of it, as in the latency probe. Where each group has a part of its own, the nearest caches add up.
const std::map<std::string, std::string>& series_of_levels();

/// The working set of a point, and the median of what was measured there.
double bytes_of(const Measurement& one);
double gbps_of(const Measurement& one);

/// Of a size that was measured in several shapes the fastest stands for it.
bool is_faster(const Measurement& one, const Measurement& other);

/// The points of one curve over the working set, by size; where a size was measured in several shapes, the fastest.
/// Other points than those at a size alone are left out.
std::vector<const Measurement*> best_points(std::span<const Measurement> known,
                                            const std::map<std::string, std::string>& series);

/// The same as numbers, in GB/s.
std::vector<analysis::CurvePoint> curve_of(std::span<const Measurement* const> points);

/// Further sizes of the curve that tells levels: first where it steps because the shape changes, each side in the
/// other's shape too; then closer about its edges, in the shape of the near side. None when all edges are known well
/// enough.
std::vector<Point> closer_points(const device::DeviceInfo& device, const Request& request,
                                 std::span<const Measurement> known);

}  // namespace sonde::probes
