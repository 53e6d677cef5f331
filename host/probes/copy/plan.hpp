#pragma once

#include <span>
#include <vector>

#include "measure/probe.hpp"
#include "probes/copy/route.hpp"

namespace sonde::probes {

/// A copy of one arm of each kind: what the device cannot do is skipped once. Of middling size, which no clock is too
/// slow for.
std::vector<measure::Point> first_copies(const gpu::DeviceInfo& device, const measure::Request& request);

/// All sizes, of all arms whose kind was measured.
std::vector<measure::Point> copy_sweeps(const gpu::DeviceInfo& device, const measure::Request& request,
                                        std::span<const measure::Measurement> known);

/// What tells engines: several queues at once, and copies beside a kernel. After the sweeps, as a size that a
/// series cannot do ends it.
std::vector<measure::Point> engine_points(const gpu::DeviceInfo& device, const measure::Request& request,
                                          std::span<const measure::Measurement> known);

}  // namespace sonde::probes
