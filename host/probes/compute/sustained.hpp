#pragma once

#include <span>
#include <vector>

#include "probes/probe.hpp"

// Whether a device keeps on computing as fast as it begins: ten points of a second each, one right behind the other.
namespace sonde::probes {

bool is_of_sustained(const Point& point);

/// Points still wanted, in the shape of fp32's peak; none at quick, nor of a simulated device, which nothing heats.
std::vector<Point> sustained_points(const device::DeviceInfo& device, const Request& request,
                                    std::span<const Measurement> known);

Workload prepare_sustained(device::Device& device, const Point& point, const Request& request);

/// `sustained`: the rate of the last second over that of the first, with what the device said of itself then.
std::vector<Finding> sustained(std::span<const Measurement> measurements);

}  // namespace sonde::probes
