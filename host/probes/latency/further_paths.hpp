#pragma once

#include <span>
#include <vector>

#include "analysis/levels/levels.hpp"
#include "probes/probe.hpp"
#include "workloads/walk/path.hpp"

namespace sonde::probes {

/// The paths beside the vector path, in the order in which they are measured.
std::span<const workloads::Path> further_paths();

/// Working sets of one further path, up to what the device allows it; where it allows none a single one, so that its
/// reason is said.
std::vector<Point> path_points(workloads::Path path, const device::DeviceInfo& device, const Request& request);

/// Working sets of the vector path beside a light stream: those at which the levels of `alone`, the walk with nothing
/// beside it, have room for both. None on CPUs, where any other work disturbs the walk's core.
std::vector<Point> points_kept_awake(const device::DeviceInfo& device, const Request& request,
                                     const analysis::LatencyCurves& alone);

}  // namespace sonde::probes
