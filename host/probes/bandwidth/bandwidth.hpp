#pragma once

#include "probes/probe.hpp"
#include "workloads/stream/stream.hpp"

namespace sonde::probes {
namespace bandwidth_probe {

Workload prepare_stream(device::Device& device, const Point& point, const Request& request);
Workload prepare_empty_dispatch(device::Device& device, const Point& point, const Request& request);

inline constexpr Table table{"Bandwidth", "bytes", "pattern, sharing",
                             "Each work-group moves a part of its own, except where all share the set."};
inline constexpr Table table_of_other_paths{"Bandwidth by other paths", "bytes", "path"};

/// The words of the curve that tells levels: every group reads all of the working set, so that a size is what one
/// compute unit sees of it, as in the latency probe. Where each group has a part of its own, the nearest caches add up.
inline constexpr Words level_words{
    .memory = "device", .path = Path::buffer, .pattern = Pattern::read, .sharing = Sharing::shared};

/// Bytes of one array for each compute unit, which fit every nearest cache there is.
inline constexpr double nearest_bytes = 8 << 10;

/// Points with `groups` beside `bytes` tell how many work-groups a working set takes; all others are of a sweep.
inline constexpr Curve stream{.name = "stream",
                              .words = {.memory = "device", .path = Path::buffer},
                              .varies = "pattern, sharing",
                              .title = "Bandwidth of streams",
                              .unit = units::core_gbps,
                              .table = &table,
                              .prepare = prepare_stream};
/// The same with the lines that a CPU fetches before it writes them.
inline constexpr Curve on_the_bus{
    .name = "on-the-bus",
    .words = {.bytes_counted = BytesCounted::bus, .memory = "device", .path = Path::buffer},
    .varies = "pattern, sharing",
    .title = "Bandwidth of streams, with the lines that are fetched before they are written",
    .unit = units::core_gbps,
    .table = &table};
inline constexpr Curve image_stream{
    .name = "image-stream",
    .words = {.memory = "device", .path = Path::image, .pattern = Pattern::read, .sharing = Sharing::separate},
    .title = "Bandwidth of reading through the texture unit",
    .unit = units::core_gbps,
    .table = &table_of_other_paths,
    .prepare = prepare_stream};
inline constexpr Curve local_stream{
    .name = "local-stream",
    .words = {.memory = "device", .path = Path::local, .pattern = Pattern::read, .sharing = Sharing::separate},
    .title = "Bandwidth of reading work-group memory",
    .unit = units::core_gbps,
    .table = &table_of_other_paths,
    .prepare = prepare_stream};
inline constexpr Curve empty_dispatch{.name = "empty-dispatch",
                                      .words = level_words,
                                      .title = "Time of an empty dispatch",
                                      .unit = units::core_us,
                                      .axis = axes::groups,
                                      .prepare = prepare_empty_dispatch};

inline constexpr FindingKind launch{
    .name = "launch",
    .heading = "Cost of a dispatch",
    .meaning =
        "The time that a dispatch costs beside its bytes, the a in t = a + n / b: the median over working sets up "
        "to 256 KiB, without a value where fewer than three such sets were measured.",
    .unit = units::core_us,
    .feature = "launch cost"};
/// Its words say which curve: several working sets of one have a finding each.
inline constexpr FindingKind saturated_by{
    .name = "saturated-by",
    .heading = "What saturates the memory",
    .meaning = "The fewest work-groups that get 95 % of the most that any number of them gets from a working set.",
    .unit = units::ratio};
inline constexpr FindingKind suspicious{.name = "suspicious",
                                        .heading = "Suspicious value",
                                        .meaning = "A bandwidth that is not to be believed, and why.",
                                        .unit = units::gbps,
                                        .better = Better::neither};

}  // namespace bandwidth_probe

/// The working set of a point.
inline double bytes_of(const Measurement& one) { return one.point.x.bytes.value(); }

/// Whether it is a bandwidth at a size, and says no more than the size.
inline bool is_of_a_sweep(const Measurement& one) {
  return one.unit == "GB/s" && one.point.x.bytes && one.point.x == Coordinates{.bytes = one.point.x.bytes};
}

/// The points of one curve over the working set, by size; where a size was measured in several shapes, the fastest.
std::vector<const Measurement*> best_points(std::span<const Measurement> known, const Words& words);

/// The same points as the analysis takes them, in GB/s.
std::vector<analysis::CurvePoint> curve_of(std::span<const Measurement* const> points);

/// A point at the round size nearest to `bytes`: few parts of a power of two, so that blocks fit.
Point stream_point(const device::DeviceInfo& device, const Curve& curve, const Words& varied, double bytes);

/// The size at which a sweep ends, unless it ends on a fall.
double largest_stream_bytes(const device::DeviceInfo& device, const Request& request, Pattern pattern = Pattern::read);

/// Whether a working set of this size can be cut up as the point's shape says, and not into smaller blocks alone: less
/// is then under way at a time, a dip in the curve that is no level.
bool keeps_its_shape(const Point& point);

/// How far the search for a shape goes.
workloads::SearchDepth search_depth(const device::DeviceInfo& device, Look look);

/// A few working sets at which prepare() looks for the best shape itself: the first look.
std::vector<Point> search_points(const device::DeviceInfo& device, const Request& request);

/// The shape in which all groups walk over all of the working set: one group for each compute unit, with as many items
/// in all. Of several groups in one unit, those behind would find in its cache what those ahead have just read. Where
/// the driver does not say how many units there are, the groups stay.
Shape shared_shape(const device::DeviceInfo& device, const Shape& found);

/// The shape that the point's own search found, or that it was asked for in.
inline const Shape& shape_at(const Measurement& one) {
  return one.point.shape.empty() ? one.state.shape : one.point.shape;
}

/// The sweeps, each point with the shape that was found at the nearest of the searched working sets; an empty dispatch;
/// and reading by other paths. Sizes that are known in any shape are left out. Where a sweep has no size that was asked
/// for, it has the nearest one: prepare() says why it is none.
std::vector<Point> sweep_points(const device::DeviceInfo& device, const Request& request,
                                std::span<const Measurement> known);

/// Whether latency showed caches, which a bandwidth curve then has too.
inline bool knows_caches(const Request& request) {
  return !request.levels_by_latency.empty() && request.levels_by_latency.front().found.bytes;
}

/// Two sizes well within each level that latency showed, the largest ones that are, in the shape of the size nearest to
/// them. None for a level that has them, or where it showed no cache.
std::vector<Point> points_within_levels(const device::DeviceInfo& device, const Request& request,
                                        std::span<const Measurement> known);

/// Further sizes of the curve that tells levels: first where it steps because the shape changes, each side in the
/// other's shape too; then, where latency shows no cache, closer about its edges, in the shape of the near side. None
/// when all edges are known.
std::vector<Point> closer_points(const device::DeviceInfo& device, const Request& request,
                                 std::span<const Measurement> known);

/// Whether a point tells how bandwidth grows with the number of work-groups, and is not one of a sweep over sizes.
inline bool is_scaling(const Point& point) { return point.x.groups && point.x.bytes; }

/// Points still wanted to know, within an eighth, how many work-groups get all of what each level of reading delivers.
std::vector<Point> scaling_points(std::span<const Measurement> known);

/// Adds the levels that latency showed, as far as there are samples within them; where it showed no cache, those of the
/// bandwidth curve alone. Without any, the reason.
void conclude_levels(const Request& request, std::span<const Measurement> measurements, Conclusion& conclusion);

/// `launch`: from working sets up to 256 KiB of the curve that tells levels; without a value where fewer than three are
/// known. Nothing where no empty kernel was measured either.
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
