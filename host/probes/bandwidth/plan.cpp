#include "probes/bandwidth/plan.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <random>
#include <utility>

#include "workloads/stream/stream_path.hpp"

namespace sonde::probes {
namespace {

using workloads::Pattern;
using workloads::Sharing;

/// Of one array, for each compute unit: fits every nearest cache there is.
constexpr double nearest_bytes = 8 << 10;
constexpr double smallest_bytes = 2 << 10;
/// Working sets are whole numbers of these for each array and compute unit: the smallest block that a shape is cut down
/// to before it loses groups (stream_walk.cpp), so that no compute unit is left without one.
constexpr double grain_bytes = 32 * 16;

double units_of(const device::DeviceInfo& device) { return workloads::compute_units_of(device); }

double grain_of(const device::DeviceInfo& device, Pattern pattern, Sharing sharing, double wanted_bytes) {
  const double arrays = workloads::facts_of(pattern).arrays;
  if (sharing == Sharing::shared) return grain_bytes * arrays;
  // A GPU's blocks are wide: in parts that are no whole number of them narrower ones are slower by themselves.
  const double wide = arrays * units_of(device) * nearest_bytes;
  return device.type != device::DeviceType::cpu && wanted_bytes >= wide ? wide : arrays * units_of(device) * grain_bytes;
}

double largest_by_default(const device::DeviceInfo& device, Effort effort) {
  // What a GPU's last cache holds is far more than a CPU's first ones, and a lap is as much faster.
  const double factor = device.type == device::DeviceType::cpu ? 1 : 2;
  switch (effort) {
    case Effort::quick: return factor * (64 << 20);
    case Effort::normal: return factor * (256 << 20);
    case Effort::thorough: break;
  }
  return factor * (1 << 30);
}

double least_of(const device::DeviceInfo& device, const Request& request, Pattern pattern, Sharing sharing) {
  if (request.smallest_bytes) return static_cast<double>(*request.smallest_bytes);
  if (sharing == Sharing::shared) return smallest_bytes;
  if (device.type == device::DeviceType::cpu) return smallest_bytes * units_of(device);
  // The arrays of every pattern that writes have room in this much, so that a table has rows for all.
  const double most_arrays = 4;
  return std::min(nearest_bytes * units_of(device) * (workloads::facts_of(pattern).writes ? most_arrays : 1),
                  largest_stream_bytes(device, request));
}

/// Parts of a power of two, in which a shape's blocks fit; sizes between them would be cut into smaller blocks, which
/// is another shape and a dip in the curve.
constexpr double parts_of_a_doubling = 16;

double rounded(double bytes, double grain) {
  const double parts = std::exp2(std::floor(std::log2(std::max(1.0, bytes / grain)) + 1e-9)) / parts_of_a_doubling;
  const double step = std::max(1.0, parts) * grain;
  return std::max(1.0, std::round(bytes / step)) * step;
}

/// Of evenly spaced sizes within each doubling, or one in several doublings.
double size_of_step(int step, double sizes_per_doubling) {
  const double doublings = std::floor(step / sizes_per_doubling);
  return sizes_per_doubling < 1 ? std::exp2(step / sizes_per_doubling)
                                : std::exp2(doublings) * (1 + step / sizes_per_doubling - doublings);
}

/// What is searched for at each effort; the others take over what was found for the most similar of these.
std::vector<Pattern> searched_patterns(Effort effort) {
  if (effort == Effort::quick) return {Pattern::read, Pattern::add};
  return {Pattern::read, Pattern::write, Pattern::copy, Pattern::add, Pattern::triad};
}

struct Sweep {
  Pattern pattern;
  Sharing sharing;
  double sizes_per_doubling;
};

std::vector<Sweep> sweeps(Effort effort, device::DeviceType type) {
  if (effort == Effort::quick) {
    return {{Pattern::read, Sharing::separate, 0.5},
            {Pattern::read, Sharing::shared, 2},
            {Pattern::write, Sharing::separate, 0.25},
            {Pattern::copy, Sharing::separate, 0.25},
            {Pattern::add, Sharing::separate, 0.5}};
  }
  // A CPU that stands for a GPU takes as long for each size as it has of them, and its shared curve is looked at
  // closer.
  const double density = type == device::DeviceType::cpu && effort == Effort::normal ? 0.5 : 1;
  return {{Pattern::read, Sharing::separate, 4 * density},  {Pattern::read, Sharing::shared, 4 * density},
          {Pattern::write, Sharing::separate, 2 * density}, {Pattern::copy, Sharing::separate, 2 * density},
          {Pattern::add, Sharing::separate, 2 * density},   {Pattern::triad, Sharing::separate, 2 * density}};
}

/// Found at the working set nearest in size, for this pattern or else for one that also writes, or for any.
std::optional<std::map<std::string, double>> nearest_shape(std::span<const Measurement> searched, Pattern pattern,
                                                           double bytes) {
  const Measurement* best = nullptr;
  std::pair<int, double> best_distance;
  for (const Measurement& one : searched) {
    if (one.state.shape.empty()) continue;
    const Pattern of = workloads::pattern_of(one.point.series);
    const int strangeness = of == pattern                                                           ? 0
                            : workloads::facts_of(of).writes == workloads::facts_of(pattern).writes ? 1
                                                                                                    : 2;
    const std::pair distance(strangeness, std::abs(std::log(one.point.x.at("bytes") / bytes)));
    if (best == nullptr || distance < best_distance) {
      best = &one;
      best_distance = distance;
    }
  }
  if (best == nullptr) return std::nullopt;
  return best->state.shape;
}

/// Where all walk over all of it, one group for each compute unit, with as many items: of several in one unit, those
/// behind would find in its cache what those ahead have just read. Where the driver does not say how many units there
/// are, all.
std::map<std::string, double> shared_shape(const device::DeviceInfo& device, const std::map<std::string, double>& found) {
  if (device.compute_units == 0 && device.type != device::DeviceType::cpu) return found;
  workloads::Shape shape = workloads::shape_of(found);
  const std::uint32_t units = workloads::compute_units_of(device);
  while (device.type != device::DeviceType::cpu && shape.groups > units &&
         2 * shape.group_size <= device.largest_group_size) {
    shape.group_size *= 2;
    shape.groups = (shape.groups + 1) / 2;
  }
  shape.groups = std::min(shape.groups, units);
  shape.scattered = workloads::is_scattered(device, Sharing::shared);
  return workloads::named(shape);
}

/// What a dispatch takes in which nothing is moved, over its number of groups alone.
Point launch_point(const std::map<std::string, double>& shape) {
  return {.series = series_of(Pattern::read, Sharing::shared),
          .x = {{"groups", shape.at("groups")}},
          .expected_seconds = 0.05,
          .shape = shape};
}

/// By the other paths, where the nearest caches and where memory serve them; what a work-group has of its own is as
/// large as it is. prepare() finds their shapes.
std::vector<Point> further_paths(const device::DeviceInfo& device, const Request& request) {
  const double units = units_of(device);
  const double groups_per_unit = device.type == device::DeviceType::cpu ? 1 : 4;  // as a shape begins with
  const double largest = largest_stream_bytes(device, request);
  const double nearest = std::min(nearest_bytes * units, largest);
  const std::vector<std::pair<Pattern, double>> wanted{
      {Pattern::read_image, nearest},
      // A CPU's texture unit is a program, which no memory holds up: where time is short its nearest size tells all.
      {Pattern::read_image, device.type == device::DeviceType::cpu && request.effort == Effort::quick ? nearest : largest},
      {Pattern::read_local, workloads::local_part_bytes * groups_per_unit * units}};
  std::vector<Point> points;
  for (const auto& [pattern, bytes] : wanted) {
    const Point one = stream_point(device, pattern, Sharing::separate, bytes);
    const bool again = !points.empty() && key_of(one) == key_of(points.back());
    if (!again && asked_for(request, one)) points.push_back(one);
  }
  return points;
}

}  // namespace

double largest_stream_bytes(const device::DeviceInfo& device, const Request& request) {
  if (request.largest_bytes) return static_cast<double>(*request.largest_bytes);
  const double largest = largest_by_default(device, request.effort);
  // Beyond a binding's range lavapipe needs twice the instructions: a step in the curve that is no level.
  return device.type == device::DeviceType::cpu ? std::min(largest, static_cast<double>(device.bound_bytes)) : largest;
}

Point stream_point(const device::DeviceInfo& device, Pattern pattern, Sharing sharing, double wanted_bytes) {
  const double bytes = rounded(wanted_bytes, grain_of(device, pattern, sharing, wanted_bytes));
  // Filling, and untimed laps.
  return {.series = series_of(pattern, sharing), .x = {{"bytes", bytes}}, .expected_seconds = 0.08 + 4e-9 * bytes};
}

bool keeps_its_shape(const Point& point) {
  if (point.shape.empty()) return true;  // it will be searched for
  const workloads::Shape shape = workloads::shape_of(point.shape);
  const unsigned arrays = workloads::facts_of(workloads::pattern_of(point.series)).arrays;
  const std::uint64_t array_bytes = static_cast<std::uint64_t>(point.x.at("bytes")) / arrays;
  return workloads::fitted(shape, workloads::sharing_of(point.series), array_bytes).block_words() ==
         shape.block_words();
}

bool asked_for(const Request& request, const Point& point) {
  return measure::is_asked_for(request, point.x.at("bytes"));
}

std::vector<Point> search_points(const device::DeviceInfo& device, const Request& request) {
  std::vector<Point> points;
  for (const Pattern pattern : searched_patterns(request.effort)) {
    const double largest = largest_stream_bytes(device, request);
    const double nearest = std::min(nearest_bytes * units_of(device) * workloads::facts_of(pattern).arrays, largest);
    for (const double bytes : {nearest, std::sqrt(nearest * largest), largest}) {
      // Where time is short, what writes is searched for at both ends.
      if (request.effort == Effort::quick && workloads::facts_of(pattern).writes && bytes > nearest && bytes < largest)
        continue;
      Point one = stream_point(device, pattern, Sharing::separate, bytes);
      one.expected_seconds += 1;
      const bool again = !points.empty() && key_of(one) == key_of(points.back());
      if (!again && asked_for(request, one)) points.push_back(one);
    }
  }
  return points;
}

std::vector<Point> sweep_points(const device::DeviceInfo& device, const Request& request,
                                std::span<const Measurement> searched) {
  std::vector<Point> points;
  for (const Sweep& sweep : sweeps(request.effort, device.type)) {
    const double least = least_of(device, request, sweep.pattern, sweep.sharing);
    const std::size_t before = points.size();
    for (int step = 0;; ++step) {
      const double wanted = least * size_of_step(step, sweep.sizes_per_doubling);
      if (wanted > largest_stream_bytes(device, request) * 1.0001) break;
      Point one = stream_point(device, sweep.pattern, sweep.sharing, wanted);
      const auto shape = nearest_shape(searched, sweep.pattern, one.x.at("bytes"));
      if (!shape || !asked_for(request, one)) continue;
      one.shape = sweep.sharing == Sharing::shared ? shared_shape(device, *shape) : *shape;
      if (sweep.sharing == Sharing::shared && !keeps_its_shape(one)) continue;
      if (points.size() > before && key_of(points.back()) == key_of(one)) continue;
      points.push_back(one);
    }
    if (points.size() == before) points.push_back(stream_point(device, sweep.pattern, sweep.sharing, least));
  }
  const auto shape = nearest_shape(searched, Pattern::read, smallest_bytes);
  if (shape) points.push_back(launch_point(shared_shape(device, *shape)));
  std::ranges::copy(further_paths(device, request), std::back_inserter(points));
  // In an order that no slow change of the machine can imitate a curve with.
  std::mt19937_64 random(request.seed + points.size());
  for (std::size_t i = points.size(); i > 1; --i) std::swap(points[i - 1], points[random() % i]);
  return points;
}

}  // namespace sonde::probes
