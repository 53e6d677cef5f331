#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "probes/probe.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::probes {

/// A point at the round size nearest to `bytes`: few parts of a power of two, so that blocks fit.
Point stream_point(const device::DeviceInfo& device, workloads::Pattern pattern, workloads::Sharing sharing, double bytes);

/// Where a sweep ends, unless on a fall.
double largest_stream_bytes(const device::DeviceInfo& device, const Request& request);

/// Whether a working set of this size can be cut up as the point's shape says, and not into smaller blocks alone: less
/// is then under way at a time, a dip in the curve that is no level.
bool keeps_its_shape(const Point& point);

/// Whether the size is within what the user asked for, beyond which rounding must not lead.
bool asked_for(const Request& request, const Point& point);

/// A few working sets, from one that fits any compute unit's nearest cache to the largest, at which prepare() looks for
/// the best shape itself.
std::vector<Point> search_points(const device::DeviceInfo& device, const Request& request);

/// The sweeps, each point with the shape that was found at the nearest of the searched working sets; and an empty
/// dispatch. Of a sweep that has no size which was asked for, the nearest one: prepare() says why it is none.
std::vector<Point> sweep_points(const device::DeviceInfo& device, const Request& request,
                                std::span<const Measurement> searched);

}  // namespace sonde::probes
