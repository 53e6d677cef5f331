#include <cmath>
#include <ranges>

#include "probes/bandwidth/bandwidth.hpp"
#include "workloads/walk/latency_sweep.hpp"

namespace sonde::probes {
namespace {

/// A further size lies at least so far from its neighbours.
constexpr double min_size_ratio = 1.02;
/// Two shapes count as different only if they differ by 5 %; smaller differences are noise.
constexpr double shape_jump_ratio = 1.05;

/// The number of measurements of the curve after which edges are not looked at any closer, however many there seem to
/// be.
constexpr std::size_t most_points = 200;

Point in_shape(const device::DeviceInfo& device, double bytes, const Shape& shape) {
  Point point = stream_point(device, bandwidth_probe::stream, bandwidth_probe::level_words, bytes);
  point.shape = shape;
  return point;
}

/// The size of `one` in the shape of `other`, unless its own was the best that a search found there.
std::optional<Point> in_shape_of(const Measurement& one, const Measurement& other) {
  Point point = one.point;
  point.shape = shape_at(other);
  if (one.point.shape.empty() || !keeps_its_shape(point)) return std::nullopt;
  return point;
}

/// Sizes beyond a sweep that ends on a fall, where what memory delivers looks like any mixture.
std::vector<Point> points_beyond(const device::DeviceInfo& device, const Request& request,
                                 std::span<const Measurement* const> curve) {
  std::vector<Point> points;
  const std::vector<analysis::CurvePoint> times = analysis::time_curve(curve_of(curve), request.line_bytes);
  for (const double wanted : workloads::sizes_beyond(times, largest_stream_bytes(device, request), device, request)) {
    const Point point = in_shape(device, wanted, shape_at(*curve.back()));
    const double bytes = point.x.bytes.value();
    // Lavapipe needs twice the instructions beyond a binding's range: a step in the curve that is no level.
    if (device.type == device::DeviceType::cpu && bytes > static_cast<double>(device.bound_bytes)) break;
    points.push_back(point);
  }
  return points;
}

}  // namespace

std::vector<const Measurement*> best_points(std::span<const Measurement> known, const Words& words) {
  std::map<double, const Measurement*> by_bytes;
  for (const Measurement& one : known) {
    if (one.point.words != words || !is_of_a_sweep(one)) continue;
    const Measurement*& best = by_bytes[bytes_of(one)];
    if (best == nullptr || median_of(one) > median_of(*best)) best = &one;
  }
  const auto points = by_bytes | std::views::values;
  return {points.begin(), points.end()};
}

std::vector<analysis::CurvePoint> curve_of(std::span<const Measurement* const> points) {
  std::vector<analysis::CurvePoint> curve;
  for (const Measurement* one : points) {
    curve.push_back({.bytes = bytes_of(*one), .values = one->values, .settling = one->state.laps_settling});
  }
  return curve;
}

std::vector<Point> closer_points(const device::DeviceInfo& device, const Request& request,
                                 std::span<const Measurement> known) {
  const std::vector<const Measurement*> curve = best_points(known, bandwidth_probe::level_words);
  const auto measured = static_cast<std::size_t>(
      std::ranges::count(known, bandwidth_probe::level_words, [](const Measurement& one) { return one.point.words; }));
  if (curve.size() < 3 || measured >= most_points) return {};
  const std::size_t allowed = most_points - measured;
  std::vector<Point> points = measure::new_points(request, known, points_beyond(device, request, curve));
  if (!points.empty()) return points;
  for (std::size_t i = 0; i + 1 < curve.size(); ++i) {
    const Measurement& near = *curve[i];
    const Measurement& far = *curve[i + 1];
    if (shape_at(near) == shape_at(far)) continue;
    const double ratio = median_of(near) / median_of(far);
    std::optional<Point> point;
    if (ratio > shape_jump_ratio) point = in_shape_of(far, near);
    if (ratio < 1 / shape_jump_ratio) point = in_shape_of(near, far);
    if (point) points.push_back(*point);
  }
  points = measure::new_points(request, known, std::move(points));
  if (points.size() > allowed) points.resize(allowed);
  if (!points.empty() || knows_caches(request)) return points;

  const auto between = [&](const analysis::Gap& gap) {
    const auto near = std::ranges::find(curve, gap.low_bytes, [](const Measurement* one) { return bytes_of(*one); });
    return in_shape(device, std::sqrt(gap.low_bytes * gap.high_bytes), shape_at(**near));
  };
  const auto may_be_cut = [&](const analysis::Gap& gap) {
    if (!workloads::is_wide(gap, request.look != Look::first)) return false;
    const Point point = between(gap);
    const double bytes = point.x.bytes.value();
    return bytes > gap.low_bytes * min_size_ratio && bytes * min_size_ratio < gap.high_bytes && keeps_its_shape(point);
  };
  const analysis::LatencyCurves times{.cycle = analysis::time_curve(curve_of(curve), request.line_bytes),
                                      .of_streams = true};
  for (const analysis::Gap& gap : analysis::doubts(times, may_be_cut).gaps) points.push_back(between(gap));
  if (points.size() > allowed) points.resize(allowed);
  return points;
}

}  // namespace sonde::probes
