// Question: how many operations a second does the device compute, by type of number, and how long does one take?
//
// Experiment: all work-items compute chains of steps that depend on each other, several chains each, on vectors. A
// step is a multiplication and an addition in one (fma; of integers multiply-add), counted as two operations, or an
// addition, a multiplication, a function, counted as one. dot4 multiplies four bytes by four and adds the products to
// a word: eight. Multipliers are arguments and the chains' beginnings come from memory, so that no compiler can fold
// them; each item leaves a word that tells all its chains, which is compared with what the host finds by making the
// same steps, to the bit (functions: within bounds). Chains of a pair rotate, those of one number are chaotic or go
// through all integers: they end at no value, and leave no type's range.
//
// Which shape is fast is a device's own: vectors for what packs narrow numbers or issues two instructions at once, many
// accumulators where latency is hidden by the chains of one item, many items where by others. A search comes first, as
// part of preparing the rate of a type's multiply-adds; its other rates are measured in the same shape, which stands in
// each record's `state.shape`. Then one chain of one item alone (chain dependent): its time a step is the latency. And
// the rate of fp32 over fewer and fewer work-groups.
//
// The roofline: a stream that makes so many multiply-adds with each word that it reads, over a working set in each
// level. With few it is as fast as the level delivers, with many as fast as the device computes; the ridge is where the
// two meet. And the rate of fp32 for ten seconds without a pause, as heat and power take some of it.
//
// How to read it: rates stand beside each other by type; those of half the bits are often twice as high. Over
// work-groups the rate climbs until all compute units are busy, and is flat from there on.

#include <algorithm>

#include "device/error.hpp"
#include "probes/catalog.hpp"
#include "probes/compute/findings.hpp"
#include "probes/compute/plan.hpp"
#include "probes/compute/roofline.hpp"
#include "probes/compute/sustained.hpp"
#include "workloads/arithmetic/arithmetic_search.hpp"

namespace sonde::probes {
namespace {

using workloads::ArithmeticShape;
using workloads::NumberType;
using workloads::Operation;

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
  int rounds = request.effort == Effort::quick ? 0 : request.effort == Effort::normal ? 2 : 4;
  if (request.effort == Effort::quick && type == NumberType::fp32 && !on_cpu) rounds = 1;
  if (on_cpu) rounds = std::min(rounds, 1);
  return {.rounds = rounds, .alive = request.alive};
}

Workload prepare_compute(device::Device& device, const Point& point, const Request& request) {
  if (is_of_no_kernel(point)) throw device::Unsupported(device.info().missing_types.at(point.series.at("type")).reason);
  if (is_of_roofline(point)) return prepare_roofline(device, point, request);
  if (is_of_sustained(point)) return prepare_sustained(device, point, request);
  const NumberType type = workloads::number_type_of(point.series);
  const Operation operation = workloads::operation_of(point.series);
  if (!is_rate(point)) return workloads::dependent_arithmetic(device, type, operation, request.seed);
  const ArithmeticShape shape =
      point.shape.empty()
          ? workloads::search_arithmetic_shape(device, type, operation, search_depth(request, device.info(), type))
          : workloads::arithmetic_shape_of(point.shape);
  return workloads::arithmetic(device, type, operation, shape, request.seed);
}

Conclusion conclude_compute(const Request&, std::span<const Measurement> measurements) {
  std::vector<Finding> found = half_rates(measurements);
  for (Finding& one : sustained(measurements)) found.push_back(std::move(one));
  for (Finding& one : ridges(measurements)) found.push_back(std::move(one));
  return {.levels = {}, .findings = found};
}

std::vector<Finding> stated_compute(const device::DeviceInfo& device, std::span<const Measurement> measurements) {
  std::vector<Finding> found = peaks(device, measurements);
  for (Finding& one : more_than_units_compute(device, measurements)) found.push_back(std::move(one));
  return found;
}

}  // namespace

const Probe compute{.name = "compute",
                    .question = "How many operations a second does the device compute, and how long does one take?",
                    .obstacle = compute_obstacle,
                    .next = compute_points,
                    .prepare = prepare_compute,
                    .conclude = conclude_compute,
                    .stated = stated_compute,
                    // Searches come first, then all other operations.
                    .all_over_first = [](Effort) { return 3.0; }};

}  // namespace sonde::probes
