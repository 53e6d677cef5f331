#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/levels/levels.hpp"
#include "probes/bandwidth/curves.hpp"
#include "workloads/stream/stream_walk.hpp"

// The points that the bandwidth probe wants, how it reads its curves, and what it finds.
namespace sonde::probes {

/// The working set of a point, and the median of what was measured there.
double bytes_of(const Measurement& one);
double gbps_of(const Measurement& one);

/// The points of one curve over the working set, by size; where a size was measured in several shapes, the fastest.
/// Points that say more than a size are left out.
std::vector<const Measurement*> best_points(std::span<const Measurement> known, const Words& words);

/// The same points as the analysis takes them, in GB/s.
std::vector<analysis::CurvePoint> curve_of(std::span<const Measurement* const> points);

/// A point at the round size nearest to `bytes`: few parts of a power of two, so that blocks fit.
Point stream_point(const device::DeviceInfo& device, const Curve& curve, const Words& varied, double bytes);

/// The size at which a sweep ends, unless it ends on a fall.
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
/// dispatch. Where a sweep has no size that was asked for, it has the nearest one: prepare() says why it is none.
std::vector<Point> sweep_points(const device::DeviceInfo& device, const Request& request,
                                std::span<const Measurement> searched);

/// Further sizes of the curve that tells levels: first where it steps because the shape changes, each side in the
/// other's shape too; then closer about its edges, in the shape of the near side. None when all edges are known well
/// enough.
std::vector<Point> closer_points(const device::DeviceInfo& device, const Request& request,
                                 std::span<const Measurement> known);

/// Whether a point tells how bandwidth grows with the number of work-groups, and is not one of a sweep over sizes.
inline bool is_scaling(const Point& point) { return point.x.groups && point.x.bytes; }

/// Points still wanted to know how many work-groups get all of it: at one working set in each flat stretch of the curve
/// of reading, 1, 2, 4 … groups, then numbers between, until that which suffices is known within an eighth.
std::vector<Point> scaling_points(const Request& request, std::span<const Measurement> known);

/// `launch`: the us that a dispatch takes beside its bytes, from working sets up to 256 KiB of the curve that tells
/// levels; without a value where fewer than three are known. Nothing where no empty kernel was measured either.
std::optional<Finding> launch_cost(std::span<const Measurement> measurements);

// Some bandwidths cannot be: the time was too short, whatever the reason. Each of these functions gives findings
// `suspicious`, in which the worst point stands for all.

/// One finding for each curve over the working set on which more came from far away than from near.
std::vector<Finding> more_than_from_nearer(std::span<const Measurement> measurements);

/// A finding where more came from beyond the last of the caches in `levels` than memory moves by its clock and width,
/// as far as the driver states both.
std::vector<Finding> more_than_memory_moves(std::span<const Measurement> measurements,
                                            std::span<const FoundLevel> levels);

/// A finding where more than 256 bytes a cycle came to each compute unit, by the fastest clock that anybody states; on
/// a CPU, whose driver may not know of a boost, by the one that was measured.
std::vector<Finding> more_than_units_take(const device::DeviceInfo& device, std::span<const Measurement> measurements);

/// `saturated-by` for each working set that was read by several numbers of groups, the smallest first.
std::vector<Finding> saturations(std::span<const Measurement> measurements);

}  // namespace sonde::probes
