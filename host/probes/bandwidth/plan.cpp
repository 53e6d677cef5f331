#include <cmath>
#include <tuple>

#include "probes/bandwidth/bandwidth.hpp"

namespace sonde::probes {
namespace {

using workloads::compute_units_of;

using bandwidth_probe::nearest_bytes;

constexpr double smallest_bytes = 2 << 10;
/// Each level of a hierarchy has several times the bytes of the one before.
constexpr double between_likely_levels = 16;
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
                  largest_stream_bytes(device, request, pattern));
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
double size_of_step(double step, double sizes_per_doubling) {
  const double doublings = std::floor(step / sizes_per_doubling);
  return sizes_per_doubling < 1 ? std::exp2(step / sizes_per_doubling)
                                : std::exp2(doublings) * (1 + step / sizes_per_doubling - doublings);
}

struct Sweep {
  Pattern pattern;
  Sharing sharing;
  double sizes_per_doubling;
};

constexpr std::array patterns{Pattern::read, Pattern::write, Pattern::copy, Pattern::add, Pattern::triad};

/// The sweeps, those that are printed first before the others. What each unit reads of all tells the levels.
std::vector<Sweep> sweeps(Look look) {
  const double density = by_look(look, 0.25, 1.0, 2.0);
  std::vector<Sweep> all{{Pattern::read, Sharing::shared, look == Look::first ? 2.0 : 4.0}};
  for (const Pattern pattern : patterns)
    all.push_back({pattern, Sharing::separate, (pattern == Pattern::read ? 2 : 1) * density});
  return all;
}

/// The shape that a search found at the working set nearest in size: for this pattern and sharing, or else for a
/// pattern that also writes, or else for any.
std::optional<Shape> nearest_shape(std::span<const Measurement> known, const Words& words, double bytes) {
  const Pattern pattern = words.pattern.value();
  const Measurement* best = nullptr;
  const auto distance = [&](const Measurement& one) {
    const Pattern other = one.point.words.pattern.value();
    const int dissimilarity = other == pattern                                                           ? 0
                              : workloads::facts_of(other).writes == workloads::facts_of(pattern).writes ? 1
                                                                                                         : 2;
    return std::tuple(dissimilarity, one.point.words.sharing != words.sharing,
                      std::abs(std::log(bytes_of(one) / bytes)));
  };
  for (const Measurement& one : known) {
    const bool searched = is_of_a_sweep(one) && one.point.words.path == Path::buffer && one.point.shape.empty() &&
                          !one.state.shape.empty();
    if (searched && (best == nullptr || distance(one) < distance(*best))) best = &one;
  }
  return best == nullptr ? std::nullopt : std::optional(best->state.shape);
}

}  // namespace

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

namespace {

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
  const double largest = largest_stream_bytes(device, request, Pattern::read);
  const double nearest = std::min(nearest_bytes * units, largest);
  const std::vector<std::pair<const Curve*, double>> wanted{
      {&bandwidth_probe::image_stream, nearest},
      {&bandwidth_probe::local_stream, workloads::local_part_bytes * groups_per_unit * units},
      {&bandwidth_probe::image_stream, largest}};
  std::vector<Point> points;
  for (const auto& [curve, bytes] : wanted) {
    Point one = stream_point(device, *curve, {}, bytes);
    // A CPU's texture unit is a program, which no memory holds up.
    const double ns_a_byte = device.type == device::DeviceType::cpu && curve == &bandwidth_probe::image_stream ? 10 : 0;
    one.expected_seconds += 0.2 + 1e-9 * ns_a_byte * bytes;
    add_new(points, request, one);
  }
  return points;
}

/// Whether a point was measured, or asked for with a search of its shape: it is not measured in another one as well.
bool is_known(const Request& request, std::span<const Measurement> known, Point point) {
  point.shape.clear();
  return request.was_asked(point) || std::ranges::any_of(known, [&point](const Measurement& one) {
           return one.point.words == point.words && one.point.x == point.x;
         });
}

}  // namespace

namespace {

/// The bytes to which working sets are wanted, whether or not the device has buffers for them.
double wanted_stream_bytes(const device::DeviceInfo& device, const Request& request) {
  if (request.largest_bytes) return static_cast<double>(*request.largest_bytes);
  // A GPU's last cache holds far more than a CPU's first ones, and a lap is as much faster.
  const double usual = device.type == device::DeviceType::cpu ? 64 << 20 : 128 << 20;
  const double beyond_caches =
      2 * static_cast<double>(std::max(request.stated_cache_bytes, request.stated_memory_side_bytes));
  const double largest =
      by_look(request.look, 1, 4, 16) * std::max(usual, std::exp2(std::ceil(std::log2(beyond_caches))));
  // Lavapipe needs twice the instructions beyond a binding's range: a step in the curve that is no level.
  return device.type == device::DeviceType::cpu ? std::min(largest, static_cast<double>(device.bound_bytes)) : largest;
}

}  // namespace

double largest_stream_bytes(const device::DeviceInfo& device, const Request& request, Pattern pattern) {
  const double wanted = wanted_stream_bytes(device, request);
  const double room = static_cast<double>(device.largest_buffer_bytes) * workloads::facts_of(pattern).arrays;
  // What is rounded to a whole part of a doubling has room still.
  return room > 0 && wanted > room ? room / (1 + 0.5 / parts_of_a_doubling) : wanted;
}

workloads::SearchDepth search_depth(const device::DeviceInfo& device, Look look) {
  using enum workloads::SearchDepth;
  // A GPU is through with a shape in milliseconds, where drivers of CPUs compile for longer.
  return device.type == device::DeviceType::cpu ? by_look(look, usual, once, full) : by_look(look, once, full, full);
}

Point stream_point(const device::DeviceInfo& device, const Curve& curve, const Words& varied, double wanted_bytes) {
  Point point = point_on(curve, {}, varied);
  const double bytes = rounded(wanted_bytes, grain_of(device, point.words, wanted_bytes));
  point.x.bytes = bytes;
  point.expected_seconds = 0.08 + 2.5e-9 * bytes;  // most of it for filling and untimed laps
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
  constexpr std::array seconds_of_depths{0.0, 0.15, 0.6, 1.8};
  const double seconds = seconds_of_depths.at(static_cast<std::size_t>(search_depth(device, request.look)));
  std::vector<Point> points;
  const auto add = [&](Pattern pattern, Sharing sharing, double bytes) {
    Point one = stream_point(device, bandwidth_probe::stream, {.pattern = pattern, .sharing = sharing}, bytes);
    const bool fits = bytes <= largest_stream_bytes(device, request, pattern);
    one.expected_seconds = fits ? one.expected_seconds + seconds : 0.1;
    const bool again = std::ranges::any_of(points, [&one](const Point& other) { return key_of(other) == key_of(one); });
    if (!again && is_asked_for(request, one.x.bytes.value())) points.push_back(one);
  };
  // One size within each cache that is likely, and memory.
  const double least = least_of(device, request, Pattern::read, Sharing::shared);
  for (double bytes = largest_stream_bytes(device, request, Pattern::read); bytes >= least;
       bytes /= between_likely_levels)
    add(Pattern::read, Sharing::shared, bytes);
  points = measure::spread_over_sizes(std::move(points), request.seed);
  // One point says why nothing larger is measured.
  if (const double wanted = wanted_stream_bytes(device, request);
      wanted > largest_stream_bytes(device, request, Pattern::read))
    add(Pattern::read, Sharing::shared, wanted);
  // The other patterns take over reading's shape until a closer look, as drivers of CPUs compile every shape for long.
  const auto searched = std::span(patterns).first(request.look == Look::first ? 1 : patterns.size());
  const auto largest = [&](Pattern pattern) { return largest_stream_bytes(device, request, pattern); };
  for (const Pattern pattern : searched) add(pattern, Sharing::separate, largest(pattern));
  const auto nearest = [&](Pattern pattern) {
    return std::clamp(nearest_bytes * compute_units_of(device) * workloads::facts_of(pattern).arrays,
                      std::min(largest(pattern), least_of(device, request, pattern, Sharing::separate)),
                      largest(pattern));
  };
  for (const Pattern pattern : searched) add(pattern, Sharing::separate, nearest(pattern));
  if (request.look == Look::first) return points;
  for (const Pattern pattern : searched)
    add(pattern, Sharing::separate, std::sqrt(nearest(pattern) * largest(pattern)));
  return points;
}

std::vector<Point> sweep_points(const device::DeviceInfo& device, const Request& request,
                                std::span<const Measurement> known) {
  std::vector<Point> in_memory;
  std::vector<Point> points;
  for (const Sweep& sweep : sweeps(request.look)) {
    const double largest = largest_stream_bytes(device, request, sweep.pattern);
    bool any = false;
    const auto add = [&](std::vector<Point>& to, double wanted) {
      Point one =
          stream_point(device, bandwidth_probe::stream, {.pattern = sweep.pattern, .sharing = sweep.sharing}, wanted);
      any = any || is_asked_for(request, one.x.bytes.value());
      const auto shape = nearest_shape(known, one.words, one.x.bytes.value());
      const bool again = !in_memory.empty() && in_memory.back().words == one.words && in_memory.back().x == one.x;
      if (!shape || again || is_known(request, known, one)) return;
      one.shape = sweep.sharing == Sharing::shared ? shared_shape(device, *shape) : *shape;
      if (sweep.sharing == Sharing::separate || keeps_its_shape(one)) add_new(to, request, one);
    };
    add(in_memory, largest);
    const double least = least_of(device, request, sweep.pattern, sweep.sharing);
    std::vector<Point> swept;
    for (double step = 0;; ++step) {
      const double wanted = least * size_of_step(step, sweep.sizes_per_doubling);
      if (wanted > 1.0001 * largest) break;
      add(swept, wanted);
    }
    if (!any) {
      const Words varied{.pattern = sweep.pattern, .sharing = sweep.sharing};
      in_memory.push_back(stream_point(device, bandwidth_probe::stream, varied, least));
    }
    std::ranges::move(measure::spread_over_sizes(std::move(swept), request.seed), std::back_inserter(points));
  }
  points.insert(points.begin(), in_memory.begin(), in_memory.end());
  const bool dispatched = std::ranges::any_of(
      known, [](const Measurement& one) { return one.point.curve == &bandwidth_probe::empty_dispatch; });
  const auto shape = nearest_shape(known, bandwidth_probe::level_words, smallest_bytes);
  if (shape && !dispatched) {
    const Shape groups = shared_shape(device, *shape);
    points.push_back(point_on(bandwidth_probe::empty_dispatch, {.groups = groups.at("groups")}, {}, 0.05));
    points.back().shape = groups;
  }
  std::ranges::copy(further_paths(device, request), std::back_inserter(points));
  return points;
}

}  // namespace sonde::probes
