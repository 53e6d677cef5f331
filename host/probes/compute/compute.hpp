#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "probes/compute/curves.hpp"
#include "workloads/arithmetic/arithmetic.hpp"

namespace sonde::probes::compute_probe {

using device::NumberType;
using device::Operation;

/// The words of a type's operation: multiply-add is the word for what integers do in place of fma, dot4 for what bytes
/// do by fours.
Words words_of(NumberType type, Operation operation, Chain chain = Chain::parallel);

/// The rate of multiply-add of a type, by which its shape is found; null where it was not measured.
const Measurement* main_rate(std::span<const Measurement> known, NumberType type);

/// Whether the visits of a rate are so far apart that not all of them had the device alone.
bool visits_disagree(const Measurement& one);

/// `peak` for each type: its fastest rate, in Gop/s, and by compute unit and cycle where both are known.
std::vector<Finding> peaks(const device::DeviceInfo& device, std::span<const Measurement> measurements);

/// `half-rate` where halves are slower than singles, or hardly faster although twice as many fit: their ratio.
std::vector<Finding> half_rates(std::span<const Measurement> measurements);

/// `suspicious` where more was computed than any known compute unit does in a cycle; the worst for each type.
std::vector<Finding> implausible_rates(const device::DeviceInfo& device, std::span<const Measurement> measurements);

// --- whether a device keeps on computing as fast as it begins: ten points of a second each, one right behind the other

/// Points still wanted, in the shape of fp32's peak; none at quick, nor of a simulated device, which nothing heats.
std::vector<Point> sustained_points(const device::DeviceInfo& device, const Request& request,
                                    std::span<const Measurement> known);

/// `sustained`: the rate of the last second over that of the first, with what the device said of itself then.
std::vector<Finding> sustained_findings(std::span<const Measurement> measurements);

// --- the roofline: rates with numbers that are read from each level, by how many operations are made for each byte

/// Whether a point is one of the roofline's: at a level or, with no operations at all, on the way to find levels.
inline bool is_of_roofline(const Point& point) { return point.x.operations_per_byte.has_value(); }
/// Whether it is at a level; 0 operations a byte is the level's bandwidth.
inline bool is_at_level(const Point& point) { return is_of_roofline(point) && !point.words.level.empty(); }

/// Points still wanted: a few working sets without operations, by which levels are found; then, at each level, all
/// operations a byte. At quick the first level and memory, which need not be found.
std::vector<Point> roofline_points(const device::DeviceInfo& device, const Request& request,
                                   std::span<const Measurement> known);

/// The fastest rate of fp32 and each level's bandwidth that a point lies clearly above, with the point: the roof was
/// measured while something else had part of the device, as a true roof is above all points.
std::vector<std::pair<const Measurement*, const Measurement*>> roofs_below_points(std::span<const Measurement> known);

/// `ridge` for each level: the operations a byte from which on it is arithmetic that limits; `suspicious` in its place
/// where a point lies clearly above the roof.
std::vector<Finding> ridges(std::span<const Measurement> measurements);

}  // namespace sonde::probes::compute_probe
