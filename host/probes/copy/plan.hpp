#pragma once

#include <span>
#include <vector>

#include "probes/copy/route.hpp"
#include "probes/probe.hpp"

namespace sonde::probes {

/// A copy on one route of each kind: what the device cannot do is skipped once. Of middling size, which no clock is too
/// slow for.
std::vector<Point> first_copies(const device::DeviceInfo& device, const Request& request);

/// All sizes, on all routes whose kind was measured.
std::vector<Point> copy_sweeps(const device::DeviceInfo& device, const Request& request,
                               std::span<const Measurement> known);

/// What tells engines: several queues at once, and copies beside a kernel. After the sweeps, as a size that a
/// series cannot do ends it.
std::vector<Point> engine_points(const device::DeviceInfo& device, const Request& request,
                                 std::span<const Measurement> known);

}  // namespace sonde::probes
