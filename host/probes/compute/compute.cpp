// How many operations a second does the device compute, by type of number, and how long does one take?
// docs/method/compute.md explains it.

#include "probes/compute/compute.hpp"
#include "measure/visits.hpp"
#include "probes/catalog.hpp"

namespace sonde::probes {
namespace compute_probe {
namespace {

using workloads::ArithmeticShape;

/// The name of `unsupported`'s type in what drivers say. They say why they have none, or none that adds and multiplies.
constexpr const char* unsupported_type = "bf16";

/// The words of types and operations, in the order in which the device has them.
constexpr std::array words_of_types{ArithmeticType::fp64,  ArithmeticType::fp32,  ArithmeticType::fp16,
                                    ArithmeticType::int64, ArithmeticType::int32, ArithmeticType::int16,
                                    ArithmeticType::int8,  ArithmeticType::int8};
constexpr std::array words_of_operations{measure::Operation::fma,         measure::Operation::add,
                                         measure::Operation::multiply,    measure::Operation::reciprocal,
                                         measure::Operation::square_root, measure::Operation::exponential,
                                         measure::Operation::sine};

NumberType number_type_of(const Words& words) {
  if (words.operation == measure::Operation::dot4) return NumberType::four_bytes;
  return static_cast<NumberType>(std::ranges::find(words_of_types, words.type.value()) - words_of_types.begin());
}

/// Words that integers and bytes have in place of fma are fma.
NumberOperation operation_of(const Words& words) {
  const auto found = std::ranges::find(words_of_operations, words.operation.value());
  return found == words_of_operations.end() ? NumberOperation::fma
                                            : static_cast<NumberOperation>(found - words_of_operations.begin());
}

/// The types are measured in this order: what most programs compute with comes first.
constexpr std::array<NumberType, 8> order_of_types{NumberType::fp32,  NumberType::fp64, NumberType::int32,
                                                   NumberType::fp16,  NumberType::int8, NumberType::four_bytes,
                                                   NumberType::int64, NumberType::int16};
constexpr std::size_t types_at_once = 3;

std::vector<NumberOperation> operations_of(NumberType type) {
  if (type == NumberType::four_bytes) return {NumberOperation::fma};
  if (!device::facts_of(type).floating) return {NumberOperation::fma, NumberOperation::add};
  if (type != NumberType::fp32) return {NumberOperation::fma, NumberOperation::add, NumberOperation::multiply};
  return {NumberOperation::fma,        NumberOperation::add,         NumberOperation::multiply,
          NumberOperation::reciprocal, NumberOperation::square_root, NumberOperation::exponential,
          NumberOperation::sine};
}

/// Further visits to what the roofs are made of, where those so far disagree, or points lie above them.
std::vector<Point> visits_again(std::span<const Measurement> known) {
  const auto below_points = roofs_below_points(known);
  return measure::more_visits(known, [&](const Measurement& one) {
    const bool is_flat_roof = one.point.x == Coordinates{} && one.point.words.chain == Chain::parallel;
    const bool is_slope = is_at_level(one.point) && one.point.x.operations_per_byte == 0;
    if (!is_flat_roof && !is_slope) return false;
    const bool below = std::ranges::any_of(below_points, [&](const auto& pair) { return pair.first == &one; });
    return below || visits_disagree(one);
  });
}

/// A CPU's driver takes as long to compile a kernel as a GPU takes for many.
double seconds_of_a_rate(const device::DeviceInfo& device) {
  return device.type == device::DeviceType::cpu ? 0.2 : 0.1;
}

Point rate_or_latency(const device::DeviceInfo& device, const Curve& curve, NumberType type,
                      NumberOperation operation) {
  return point_on(curve, {}, words_of(type, operation, curve.words.chain.value()), seconds_of_a_rate(device));
}

/// The rates of multiply-adds, whose preparation looks for the best shape. A type that is missing takes no time to say.
std::vector<Point> main_rates(const device::DeviceInfo& device, std::size_t count) {
  std::vector<Point> points;
  for (const NumberType type : order_of_types) {
    const bool is_missing = device.missing_types.contains(std::string(device::facts_of(type).name));
    if (!is_missing && count == 0) continue;
    if (!is_missing) --count;
    points.push_back(rate_or_latency(device, rate, type, NumberOperation::fma));
    points.back().visits = measure::usual_visits;
    points.back().expected_seconds *= 2;
  }
  if (device.missing_types.contains(unsupported_type)) {
    points.push_back(points.front());
    points.back().curve = &unsupported;
    points.back().words = unsupported.words;
  }
  return points;
}

/// Each type's other rates, in the shape that was found for it, and its latencies.
std::vector<Point> other_rates(const device::DeviceInfo& device, std::span<const Measurement> known) {
  std::vector<Point> points;
  for (const NumberType type : order_of_types) {
    const Measurement* const main = main_rate(known, type);
    if (main == nullptr) continue;
    for (const NumberOperation operation : operations_of(type)) {
      points.push_back(rate_or_latency(device, latency, type, operation));
      if (operation == NumberOperation::fma) continue;
      points.push_back(rate_or_latency(device, rate, type, operation));
      const ArithmeticShape shape = workloads::arithmetic_shape_of(main->state.shape);
      points.back().shape = workloads::named(workloads::shape_for(operation, shape));
    }
  }
  return points;
}

/// The growth of fp32's rate with work-groups.
std::vector<Point> rates_of_some_groups(const device::DeviceInfo& device, std::span<const Measurement> known) {
  std::vector<Point> points;
  const Measurement* const main = main_rate(known, NumberType::fp32);
  if (main == nullptr) return points;
  for (double groups = 1; groups < main->state.shape.at("groups"); groups *= 2) {
    Point& some = points.emplace_back(rate_or_latency(device, rate, NumberType::fp32, NumberOperation::fma));
    some.x.groups = groups;
    some.shape = main->state.shape;
    some.shape["groups"] = groups;
  }
  return points;
}

/// First what most programs compute with and how fast memory feeds it; then the other types and the nearest cache; the
/// roofline with every level's; all operations, the growth with work-groups and a long load; and what the roofs are
/// made of once more where visits disagree or a point lies above.
std::vector<Point> compute_points(const device::DeviceInfo& device, const Request& request,
                                  std::span<const Measurement> known) {
  const bool is_first = request.look == Look::first;
  const auto only_if = [](bool wanted, auto stage) { return wanted ? stage() : std::vector<Point>{}; };
  std::vector<Point> points = measure::first_new_points(
      request, known,
      [&] {
        return only_if(is_first, [&] {
          std::vector<Point> all = main_rates(device, types_at_once);
          std::ranges::move(bandwidths_of_ends(device, request, false), std::back_inserter(all));
          return all;
        });
      },
      [&] {
        std::vector<Point> all = main_rates(device, order_of_types.size());
        std::ranges::move(bandwidths_of_ends(device, request, true), std::back_inserter(all));
        all.push_back(rate_or_latency(device, latency, NumberType::fp32, NumberOperation::fma));
        return all;
      },
      [&] { return only_if(!is_first, [&] { return roofline_sweep(device, request); }); },
      [&] { return only_if(!is_first, [&] { return roofline_points(device, request, known); }); },
      [&] { return only_if(!is_first, [&] { return other_rates(device, known); }); },
      [&] { return only_if(!is_first, [&] { return rates_of_some_groups(device, known); }); },
      [&] { return only_if(!is_first, [&] { return sustained_points(device, known); }); });
  std::ranges::move(visits_again(known), std::back_inserter(points));
  return points;
}

std::optional<std::string> compute_obstacle(const device::DeviceInfo& device) {
  const bool has_none = std::ranges::all_of(device::number_types, [&](const device::NumberTypeFacts& type) {
    return device.missing_types.contains(std::string(type.name));
  });
  if (!has_none) return std::nullopt;
  return "it computes with no type of number: " + device.missing_types.at("fp32").reason;
}

/// A CPU's driver takes as long to compile a shape as a GPU takes for all of them.
workloads::ArithmeticSearch search_depth(const Request& request, const device::DeviceInfo& device, NumberType type) {
  const bool on_cpu = device.type == device::DeviceType::cpu;
  return {.rounds = on_cpu ? 0 : type == NumberType::fp32 ? 2 : 1, .alive = request.alive};
}

Conclusion conclude_compute(const Request&, std::span<const Measurement> measurements) {
  Conclusion conclusion{.findings = half_rates(measurements)};
  conclusion.add(sustained_findings(measurements));
  conclusion.add(ridges(measurements));
  return conclusion;
}

std::vector<Finding> stated_of_compute(const device::DeviceInfo& device, std::span<const Measurement> measurements) {
  std::vector<Finding> found = peaks(device, measurements);
  std::ranges::move(implausible_rates(device, measurements), std::back_inserter(found));
  return found;
}

}  // namespace

Words words_of(NumberType type, NumberOperation operation, Chain chain) {
  Words words{.chain = chain,
              .operation = words_of_operations[static_cast<std::size_t>(operation)],
              .type = words_of_types[static_cast<std::size_t>(type)]};
  if (operation == NumberOperation::fma && !device::facts_of(type).floating)
    words.operation = measure::Operation::multiply_add;
  if (type == NumberType::four_bytes) words.operation = measure::Operation::dot4;
  return words;
}

const Measurement* main_rate(std::span<const Measurement> known, NumberType type) {
  return measure::find(known, rate, {}, words_of(type, NumberOperation::fma));
}

bool visits_disagree(const Measurement& one) {
  // If two visits of a rate differ by more than this, at least one shared the device with other work.
  constexpr double too_far_apart = 1.25;
  const analysis::Interval range = measure::range_of_visits(one);
  return range.high > too_far_apart * range.low;
}

Workload prepare_rate(device::Device& device, const Point& point, const Request& request) {
  if (point.x.seconds) {
    constexpr device::Nanoseconds a_second{1e9};
    return workloads::sustained_arithmetic(device, workloads::arithmetic_shape_of(point.shape), a_second, request.seed);
  }
  const NumberType type = number_type_of(point.words);
  const NumberOperation operation = operation_of(point.words);
  const ArithmeticShape shape =
      point.shape.empty()
          ? workloads::search_arithmetic_shape(device, type, operation, search_depth(request, device.info(), type))
          : workloads::arithmetic_shape_of(point.shape);
  return workloads::arithmetic(device, type, operation, shape, request.seed);
}

Workload prepare_latency(device::Device& device, const Point& point, const Request& request) {
  return workloads::dependent_arithmetic(device, number_type_of(point.words), operation_of(point.words), request.seed);
}

// NOLINTNEXTLINE(misc-const-correctness): what prepares a curve has one signature
Workload prepare_unsupported(device::Device& device, const Point&, const Request&) {
  throw device::Unsupported(device.info().missing_types.at(unsupported_type).reason);
}

}  // namespace compute_probe

const Probe compute{.name = "compute",
                    .question = "How many operations a second does the device compute, and how long does one take?",
                    .curves = compute_probe::curves,
                    .finding_kinds = compute_probe::finding_kinds,
                    .obstacle = compute_probe::compute_obstacle,
                    .next = compute_probe::compute_points,
                    .conclude = compute_probe::conclude_compute,
                    .stated = compute_probe::stated_of_compute};

}  // namespace sonde::probes
