#include "probes/compute/plan.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>

#include "measure/visits.hpp"
#include "probes/compute/roofline.hpp"
#include "probes/compute/sustained.hpp"

namespace sonde::probes {
namespace {

using workloads::NumberType;
using workloads::Operation;

/// By which types are measured: what most programs compute with comes first.
constexpr std::array<NumberType, 8> order_of_types{NumberType::fp32,  NumberType::fp64,      NumberType::fp16,
                                                   NumberType::int32, NumberType::int64,     NumberType::int16,
                                                   NumberType::int8,  NumberType::four_bytes};
/// Drivers say why they have none, or none that adds and multiplies.
constexpr const char* brain_floats = "bf16";

/// A CPU's driver takes seconds to compile what a GPU's does in milliseconds: where time is short, what most programs
/// compute with has to do.
bool is_in_short(const device::DeviceInfo& device, const Request& request) {
  return device.type == device::DeviceType::cpu && request.effort == Effort::quick;
}

/// Where time is short, some; what is missing takes none to say.
std::vector<NumberType> types_of(const device::DeviceInfo& device, const Request& request) {
  constexpr std::array<NumberType, 3> few{NumberType::fp32, NumberType::fp64, NumberType::int32};
  std::vector<NumberType> types;
  std::ranges::copy_if(order_of_types, std::back_inserter(types), [&](NumberType type) {
    return !is_in_short(device, request) || std::ranges::find(few, type) != few.end() ||
           device.missing_types.contains(std::string(device::facts_of(type).name));
  });
  return types;
}

std::vector<Operation> operations_of(NumberType type, bool in_short) {
  if (in_short || type == NumberType::four_bytes) return {Operation::fma};
  if (!device::facts_of(type).floating) return {Operation::fma, Operation::add};
  if (type != NumberType::fp32) return {Operation::fma, Operation::add, Operation::multiply};
  return {Operation::fma,         Operation::add,         Operation::multiply, Operation::reciprocal,
          Operation::square_root, Operation::exponential, Operation::sine};
}

/// Visits of one device's rate that differ by more were not all of it alone.
constexpr double too_far_apart = 1.25;

/// Further visits to what the roofs are made of, where those so far disagree, or points lie above them.
std::vector<Point> visits_again(std::span<const Measurement> known) {
  const auto below_points = roofs_below_points(known);
  return measure::more_visits(known, [&](const Measurement& one) {
    const bool is_flat_roof = one.point.x.empty() && is_rate(one.point);
    const bool is_slope = is_at_level(one.point) && one.point.x.at("operations_per_byte") == 0;
    if (!is_flat_roof && !is_slope) return false;
    const bool below = std::ranges::any_of(below_points, [&](const auto& pair) { return pair.first == &one; });
    return below || visits_disagree(one);
  });
}

Point point_of(NumberType type, Operation operation, std::string_view chain, const Request& request) {
  Point point;
  point.series = workloads::series_of(type, operation, chain);
  point.expected_seconds = request.effort == Effort::quick ? 0.15 : request.effort == Effort::normal ? 0.6 : 3;
  return point;
}

}  // namespace

bool is_rate(const Point& point) { return point.series.at("chain") == "parallel"; }
bool is_of_no_kernel(const Point& point) { return point.series.at("type") == brain_floats; }
bool is_of_some_groups(const Point& point) { return point.x.contains("groups"); }

bool visits_disagree(const Measurement& one) {
  const analysis::Interval range = measure::range_of_visits(one);
  return range.high > too_far_apart * range.low;
}

const Measurement* main_rate(std::span<const Measurement> known, NumberType type) {
  const auto series = workloads::series_of(type, Operation::fma, "parallel");
  const auto found = std::ranges::find_if(known, [&](const Measurement& one) {
    return one.unit == "Gop/s" && one.point.series == series && one.point.x.empty();
  });
  return found == known.end() ? nullptr : &*found;
}

std::vector<Point> compute_points(const device::DeviceInfo& device, const Request& request,
                                  std::span<const Measurement> known) {
  // A search costs many compilations: what is measured again and again, to see how the machine drifts, has none.
  std::vector<Point> points{point_of(NumberType::fp32, Operation::fma, "dependent", request)};
  const std::vector<NumberType> types = types_of(device, request);
  for (const NumberType type : types) {
    Point searched = point_of(type, Operation::fma, "parallel", request);
    searched.visits = measure::usual_visits(request.effort);
    searched.expected_seconds *= 2;
    points.push_back(searched);
  }
  if (device.missing_types.contains(brain_floats)) {
    Point unmeasured = points.back();
    unmeasured.series = {{"type", brain_floats}, {"operation", "fma"}, {"chain", "parallel"}};
    points.push_back(unmeasured);
  }
  for (const NumberType type : types) {
    const Measurement* const main = main_rate(known, type);
    if (main == nullptr) continue;
    for (const Operation operation : operations_of(type, is_in_short(device, request))) {
      points.push_back(point_of(type, operation, "dependent", request));
      if (operation == Operation::fma) continue;
      Point rate = point_of(type, operation, "parallel", request);
      rate.shape = workloads::named(workloads::shape_for(operation, workloads::arithmetic_shape_of(main->state.shape)));
      points.push_back(rate);
    }
  }
  if (const Measurement* const main = main_rate(known, NumberType::fp32)) {
    const double all = main->state.shape.at("groups");
    for (double groups = 1; groups < all; groups *= 2) {
      Point some = point_of(NumberType::fp32, Operation::fma, "parallel", request);
      some.x = {{"groups", groups}};
      some.shape = main->state.shape;
      some.shape["groups"] = groups;
      points.push_back(some);
    }
  }
  std::ranges::copy(sustained_points(device, request, known), std::back_inserter(points));
  std::ranges::copy(roofline_points(device, request, known), std::back_inserter(points));
  std::ranges::move(visits_again(known), std::back_inserter(points));
  return points;
}

}  // namespace sonde::probes
