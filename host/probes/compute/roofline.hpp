#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "probes/probe.hpp"
#include "workloads/stream/stream_walk.hpp"

// The roofline: what is computed of what is read from each level, by how many operations are made for each byte.
namespace sonde::probes {

/// Whether a point is one of the roofline's, at a level of it or, with no operations at all, on the way to find levels.
bool is_of_roofline(const Point& point);
/// At a level; 0 operations a byte is the level's bandwidth.
bool is_at_level(const Point& point);

/// Points still wanted: a few working sets without operations, by which levels are found; then, at each level, all
/// operations a byte. At quick the first level and memory, which need not be found.
std::vector<Point> roofline_points(const device::DeviceInfo& device, const Request& request,
                                   std::span<const Measurement> known);

Workload prepare_roofline(device::Device& device, const Point& point, const Request& request);

/// A level's roof, and how close the points beneath it come.
struct Roof {
  std::string level;  ///< "level 1" …, "memory"
  double bytes = 0;
  const Measurement* bandwidth = nullptr;  ///< GB/s
  std::vector<const Measurement*> points;  ///< Gop/s, by operations a byte
};
/// Nearest first; those whose bandwidth is known.
std::vector<Roof> roofs_of(std::span<const Measurement> known);

/// Of what the roofs are made of, the rate of fp32 and each level's bandwidth, that which a point lies clearly above:
/// it was measured while something else had part of the device, as a true roof is above all points. The point stands
/// beside it.
std::vector<std::pair<const Measurement*, const Measurement*>> roofs_below_points(std::span<const Measurement> known);

/// `ridge` for each level: the operations a byte from which on it is arithmetic that limits; `suspicious` in its place
/// where a point lies clearly above the roof.
std::vector<Finding> ridges(std::span<const Measurement> measurements);

}  // namespace sonde::probes
