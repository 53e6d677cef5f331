#include <cmath>
#include <tuple>

#include "probes/bandwidth/bandwidth.hpp"

namespace sonde::probes {
namespace {

using workloads::compute_units_of;

/// Bytes of one array for each compute unit, which fit every nearest cache there is.
constexpr double nearest_bytes = 8 << 10;
constexpr double smallest_bytes = 2 << 10;
/// A working set is a whole number of such grains for each array and compute unit: the smallest block that a shape is
/// cut down to before it loses groups (stream_walk.cpp), so that no compute unit is left without one.
constexpr double grain_bytes = 32 * 16;

double grain_of(const device::DeviceInfo& device, const Words& words, double wanted_bytes) {
  const double arrays = workloads::facts_of(words).arrays;
  if (words.sharing == Sharing::shared) return grain_bytes * arrays;
  // A GPU's blocks are wide: in parts that are no whole number of them narrower ones are slower by themselves.
  const double wide = arrays * compute_units_of(device) * nearest_bytes;
  return device.type != device::DeviceType::cpu && wanted_bytes >= wide
             ? wide
             : arrays * compute_units_of(device) * grain_bytes;
}

double least_of(const device::DeviceInfo& device, const Request& request, Pattern pattern, Sharing sharing) {
  if (request.smallest_bytes) return static_cast<double>(*request.smallest_bytes);
  if (sharing == Sharing::shared) return smallest_bytes;
  if (device.type == device::DeviceType::cpu) return smallest_bytes * compute_units_of(device);
  // The arrays of every pattern that writes have room in this much, so that a table has rows for all.
  const double most_arrays = 4;
  return std::min(nearest_bytes * compute_units_of(device) * (workloads::facts_of(pattern).writes ? most_arrays : 1),
                  largest_stream_bytes(device, request));
}

/// Sizes are whole numbers of such parts of a power of two, in which a shape's blocks fit; sizes between them would be
/// cut into smaller blocks, which is another shape and a dip in the curve.
constexpr double parts_of_a_doubling = 16;

double rounded(double bytes, double grain) {
  const double parts = std::exp2(std::floor(std::log2(std::max(1.0, bytes / grain)) + 1e-9)) / parts_of_a_doubling;
  const double step = std::max(1.0, parts) * grain;
  return std::max(1.0, std::round(bytes / step)) * step;
}

/// The size at a step of a sweep: evenly spaced sizes within each doubling, or one in several doublings.
double size_of_step(int step, double sizes_per_doubling) {
  const double doublings = std::floor(step / sizes_per_doubling);
  return sizes_per_doubling < 1 ? std::exp2(step / sizes_per_doubling)
                                : std::exp2(doublings) * (1 + step / sizes_per_doubling - doublings);
}

struct Sweep {
  Pattern pattern;
  Sharing sharing;
  double sizes_per_doubling;
};

std::vector<Sweep> sweeps(Look look, device::DeviceType type) {
  if (look == Look::first) {
    return {{Pattern::read, Sharing::separate, 0.5},
            {Pattern::read, Sharing::shared, 2},
            {Pattern::write, Sharing::separate, 0.25},
            {Pattern::copy, Sharing::separate, 0.25},
            {Pattern::add, Sharing::separate, 0.5}};
  }
  // On a CPU device a size takes time proportional to itself, and its shared curve is looked at closer anyway.
  const double density = type == device::DeviceType::cpu && look == Look::closer ? 0.5 : 1;
  return {{Pattern::read, Sharing::separate, 4 * density},  {Pattern::read, Sharing::shared, 4 * density},
          {Pattern::write, Sharing::separate, 2 * density}, {Pattern::copy, Sharing::separate, 2 * density},
          {Pattern::add, Sharing::separate, 2 * density},   {Pattern::triad, Sharing::separate, 2 * density}};
}

/// The shape that was found at the working set nearest in size: for this pattern, or else for one that also writes, or
/// else for any.
std::optional<Shape> nearest_shape(std::span<const Measurement> searched, Pattern pattern, double bytes) {
  const auto distance = [&](const Measurement& one) {
    const Pattern other = one.point.words.pattern.value();
    const int dissimilarity = other == pattern                                                           ? 0
                              : workloads::facts_of(other).writes == workloads::facts_of(pattern).writes ? 1
                                                                                                         : 2;
    return std::tuple(one.state.shape.empty(), dissimilarity, std::abs(std::log(bytes_of(one) / bytes)));
  };
  const auto best = std::ranges::min_element(searched, {}, distance);
  if (best == searched.end() || best->state.shape.empty()) return std::nullopt;
  return best->state.shape;
}

/// The shape in which all groups walk over all of the working set: one group for each compute unit, with as many items
/// in all. Of several groups in one unit, those behind would find in its cache what those ahead have just read. Where
/// the driver does not say how many units there are, the groups stay.
Shape shared_shape(const device::DeviceInfo& device, const Shape& found) {
  if (device.compute_units == 0 && device.type != device::DeviceType::cpu) return found;
  workloads::StreamShape shape = workloads::shape_of(found);
  const std::uint32_t units = compute_units_of(device);
  while (device.type != device::DeviceType::cpu && shape.groups > units &&
         2 * shape.group_size <= device.largest_group_size) {
    shape.group_size *= 2;
    shape.groups = (shape.groups + 1) / 2;
  }
  shape.groups = std::min(shape.groups, units);
  shape.scattered = workloads::is_scattered(device, Sharing::shared);
  return workloads::named(shape);
}

/// Adds a point of a size that is asked for, unless it is the last one again.
void add_new(std::vector<Point>& points, const Request& request, const Point& point) {
  const bool again = !points.empty() && key_of(point) == key_of(points.back());
  if (!again && is_asked_for(request, point.x.bytes.value())) points.push_back(point);
}

/// Reading by the other paths: images where the nearest caches and where memory serve them, work-group memory over as
/// much as there is. prepare() finds their shapes.
std::vector<Point> further_paths(const device::DeviceInfo& device, const Request& request) {
  const double units = compute_units_of(device);
  const double groups_per_unit = device.type == device::DeviceType::cpu ? 1 : 4;  // as a shape begins with
  const double largest = largest_stream_bytes(device, request);
  const double nearest = std::min(nearest_bytes * units, largest);
  const std::vector<std::pair<const Curve*, double>> wanted{
      {&bandwidth_probe::image_stream, nearest},
      // A CPU's texture unit is a program, which no memory holds up: where time is short its nearest size tells all.
      {&bandwidth_probe::image_stream,
       device.type == device::DeviceType::cpu && request.look == Look::first ? nearest : largest},
      {&bandwidth_probe::local_stream, workloads::local_part_bytes * groups_per_unit * units}};
  std::vector<Point> points;
  for (const auto& [curve, bytes] : wanted) add_new(points, request, stream_point(device, *curve, {}, bytes));
  return points;
}

}  // namespace

double largest_stream_bytes(const device::DeviceInfo& device, const Request& request) {
  if (request.largest_bytes) return static_cast<double>(*request.largest_bytes);
  // A GPU's last cache holds far more than a CPU's first ones, and a lap is as much faster.
  const double factor = device.type == device::DeviceType::cpu ? 1 : 2;
  const double largest = factor * by_look(request.look, 64 << 20, 256 << 20, 1 << 30);
  // Lavapipe needs twice the instructions beyond a binding's range: a step in the curve that is no level.
  return device.type == device::DeviceType::cpu ? std::min(largest, static_cast<double>(device.bound_bytes)) : largest;
}

Point stream_point(const device::DeviceInfo& device, const Curve& curve, const Words& varied, double wanted_bytes) {
  Point point = point_on(curve, {}, varied);
  const double bytes = rounded(wanted_bytes, grain_of(device, point.words, wanted_bytes));
  point.x.bytes = bytes;
  point.expected_seconds = 0.08 + 4e-9 * bytes;  // most of it for filling and untimed laps
  return point;
}

bool keeps_its_shape(const Point& point) {
  if (point.shape.empty()) return true;  // it will be searched for
  const workloads::StreamShape shape = workloads::shape_of(point.shape);
  const unsigned arrays = workloads::facts_of(point.words).arrays;
  const std::uint64_t array_bytes = static_cast<std::uint64_t>(point.x.bytes.value()) / arrays;
  return workloads::fitted(shape, point.words.sharing.value(), array_bytes).block_words() == shape.block_words();
}

std::vector<Point> search_points(const device::DeviceInfo& device, const Request& request) {
  // The other patterns take over the shape of the most similar of these.
  using Patterns = std::vector<Pattern>;
  const auto searched = request.look == Look::first
                            ? Patterns{Pattern::read, Pattern::add}
                            : Patterns{Pattern::read, Pattern::write, Pattern::copy, Pattern::add, Pattern::triad};
  std::vector<Point> points;
  for (const Pattern pattern : searched) {
    const double largest = largest_stream_bytes(device, request);
    const double nearest =
        std::min(nearest_bytes * compute_units_of(device) * workloads::facts_of(pattern).arrays, largest);
    for (const double bytes : {nearest, std::sqrt(nearest * largest), largest}) {
      // Where time is short, a pattern that writes is searched for at both ends alone.
      if (request.look == Look::first && workloads::facts_of(pattern).writes && bytes > nearest && bytes < largest)
        continue;
      Point one =
          stream_point(device, bandwidth_probe::stream, {.pattern = pattern, .sharing = Sharing::separate}, bytes);
      one.expected_seconds += 1;
      add_new(points, request, one);
    }
  }
  return points;
}

std::vector<Point> sweep_points(const device::DeviceInfo& device, const Request& request,
                                std::span<const Measurement> searched) {
  std::vector<Point> points;
  for (const Sweep& sweep : sweeps(request.look, device.type)) {
    const Words varied{.pattern = sweep.pattern, .sharing = sweep.sharing};
    const double least = least_of(device, request, sweep.pattern, sweep.sharing);
    const std::size_t before = points.size();
    for (int step = 0;; ++step) {
      const double wanted = least * size_of_step(step, sweep.sizes_per_doubling);
      if (wanted > largest_stream_bytes(device, request) * 1.0001) break;
      Point one = stream_point(device, bandwidth_probe::stream, varied, wanted);
      const auto shape = nearest_shape(searched, sweep.pattern, one.x.bytes.value());
      if (!shape) continue;
      one.shape = sweep.sharing == Sharing::shared ? shared_shape(device, *shape) : *shape;
      if (sweep.sharing == Sharing::shared && !keeps_its_shape(one)) continue;
      add_new(points, request, one);
    }
    if (points.size() == before) points.push_back(stream_point(device, bandwidth_probe::stream, varied, least));
  }
  const auto shape = nearest_shape(searched, Pattern::read, smallest_bytes);
  if (shape) {
    const Shape groups = shared_shape(device, *shape);
    points.push_back(point_on(bandwidth_probe::empty_dispatch, {.groups = groups.at("groups")}, {}, 0.05));
    points.back().shape = groups;
  }
  std::ranges::copy(further_paths(device, request), std::back_inserter(points));
  return measure::shuffled(std::move(points), request.seed);
}

}  // namespace sonde::probes
