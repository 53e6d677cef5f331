#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "probes/probe.hpp"
#include "workloads/arithmetic/arithmetic.hpp"

namespace sonde::probes {

/// Whether a point is a rate (all items at once) and no chain of dependent steps.
bool is_rate(const Point& point);
/// Whether it tells how a rate grows with the number of work-groups.
bool is_of_some_groups(const Point& point);

/// Whether it is there to say why no device is measured so: of a type that no API's kernels compute with.
bool is_of_no_kernel(const Point& point);

/// The rate of multiply-add of a type, by which its shape is found; null where it was not measured.
const Measurement* main_rate(std::span<const Measurement> known, workloads::NumberType type);

/// Whether the visits of a rate are so far apart that not all of them had the device alone.
bool visits_disagree(const Measurement& one);

/// The points still wanted: of each type the rate of its multiply-adds, whose prepare() looks for the best shape; then,
/// in that shape, its other rates, its latencies, and how the rate of fp32 grows with work-groups; the roofline's; and
/// what its roofs are made of once more where visits disagree or a point lies above.
std::vector<Point> compute_points(const device::DeviceInfo& device, const Request& request,
                                  std::span<const Measurement> known);

}  // namespace sonde::probes
