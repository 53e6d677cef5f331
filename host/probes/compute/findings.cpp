#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "measure/cycles.hpp"
#include "measure/visits.hpp"
#include "probes/compute/compute.hpp"

namespace sonde::probes::compute_probe {
namespace {

/// Halves that are so many times as fast as singles are as fast as they should be.
constexpr double nearly_double = 1.5;
/// A rate above what is possible by no more than this may come from a clock that was not known well.
constexpr double by_the_clock = 1.05;

/// The most bits that any known compute unit works on in a cycle, a multiplication and an addition counted as two. A
/// GPU's has 128 lanes of 32 bits that multiply and add, and as many times more as a type is narrower; CDNA 3 and
/// Hopper have 64 of 64 bits. A CPU's core has two such pipes of 512 bits.
constexpr double most_bits_of_a_gpu = 2 * 128 * 32;
constexpr double most_bits_of_a_cpu = 2 * 2 * 512;

/// The operations of each compute unit in each cycle; 0 where the clock or the number of units is not known.
double per_unit_and_cycle(const device::DeviceInfo& device, const Measurement& one) {
  const double cycles_per_ns = device.compute_units * measure::clock_mhz(device, one.state) / 1e3;
  return cycles_per_ns > 0 ? median_of(one) / cycles_per_ns : 0;
}

std::string shape_text(const Shape& shape) {
  const workloads::ArithmeticShape of = workloads::arithmetic_shape_of(shape);
  return fmt::format("{} work-group{} of {} with {} accumulator{} of {} number{}", of.groups, of.groups > 1 ? "s" : "",
                     of.group_size, of.accumulators, of.accumulators > 1 ? "s" : "", of.width, of.width > 1 ? "s" : "");
}

/// "fp32 fma"
std::string what_computes(const Words& words) {
  return fmt::format("{} {}", measure::word_of(words.type.value()), measure::word_of(words.operation.value()));
}

}  // namespace

std::vector<Finding> peaks(const device::DeviceInfo& device, std::span<const Measurement> measurements) {
  std::vector<Finding> found;
  for (const device::NumberTypeFacts& type : device::number_types) {
    const Measurement* const main = main_rate(measurements, type.type);
    if (main == nullptr) continue;
    Finding finding{.kind = &peak, .words = main->point.words, .unit = "Gop/s"};
    set_value(finding, estimate(*main));
    finding.evidence = fmt::format("{} reaches {:.4g} Gop/s by {}", what_computes(main->point.words), median_of(*main),
                                   shape_text(main->state.shape));
    if (const double each = per_unit_and_cycle(device, *main); each > 0) {
      finding.evidence += fmt::format(": {:.3g} operations a cycle of each of {} compute units at {:.0f} MHz", each,
                                      device.compute_units, measure::clock_mhz(device, main->state));
      finding.details["operations_per_unit_and_cycle"] = six_digits(each);
      finding.details["clock_mhz"] = six_digits(measure::clock_mhz(device, main->state));
    }
    if (visits_disagree(*main)) {
      const analysis::Interval range = measure::range_of_visits(*main);
      finding.evidence += fmt::format(", from {:.4g} to {:.4g} at different moments", range.low, range.high);
    }
    const Measurement* const single = main_rate(measurements, NumberType::fp32);
    if (single != nullptr && single != main) {
      const double ratio = median_of(*main) / median_of(*single);
      finding.evidence += fmt::format(", {:.3g} of fp32's rate", ratio);
      finding.details["ratio_to_fp32"] = six_digits(ratio);
    }
    finding.evidence += ".";
    if (!main->state.instruction.empty())
      finding.evidence += fmt::format(" The driver's code computes by {}.", main->state.instruction);
    if (device.emulated_types.contains(std::string(type.name)))
      finding.evidence += " The driver says that the device has no instruction for it.";
    found.push_back(finding);
  }
  return found;
}

std::vector<Finding> half_rates(std::span<const Measurement> measurements) {
  const Measurement* const half = main_rate(measurements, NumberType::fp16);
  const Measurement* const single = main_rate(measurements, NumberType::fp32);
  if (half == nullptr || single == nullptr) return {};
  const double ratio = median_of(*half) / median_of(*single);
  if (ratio >= nearly_double) return {};
  const char* const what = ratio < 0.95 ? "slower than singles, so that halves only save room"
                                        : "hardly faster than singles, although twice as many fit a register";
  Finding finding{.kind = &half_rate, .words = half->point.words, .unit = "ratio"};
  const measure::SeenByVisit<double> visits(measurements, [](std::span<const Measurement> some) {
    return median_of(*main_rate(some, NumberType::fp16)) / median_of(*main_rate(some, NumberType::fp32));
  });
  set_value(finding, visits.estimate([](double one) { return one; }));
  finding.evidence = fmt::format(
      "fp16 fma reaches {:.4g} Gop/s and fp32 {:.4g}: {:.3g} of it, {}.{}", median_of(*half), median_of(*single), ratio,
      what,
      half->state.instruction.empty() ? "" : " The driver's code computes halves by " + half->state.instruction + ".");
  return {finding};
}

std::vector<Finding> implausible_rates(const device::DeviceInfo& device, std::span<const Measurement> measurements) {
  const double most_bits = device.type == device::DeviceType::cpu ? most_bits_of_a_cpu : most_bits_of_a_gpu;
  std::vector<Finding> found;
  for (const device::NumberTypeFacts& type : device::number_types) {
    const double allowed = most_bits / type.bits;
    const Measurement* worst = nullptr;
    double most = by_the_clock;
    for (const Measurement& one : measurements) {
      if (one.unit != "Gop/s" || measure::word_of(one.point.words.type.value()) != type.name) continue;
      const double share = per_unit_and_cycle(device, one) / allowed;
      if (share <= most) continue;
      most = share;
      worst = &one;
    }
    if (worst == nullptr) continue;
    found.push_back({.kind = &suspicious,
                     .words = worst->point.words,
                     .value = six_digits(median_of(*worst)),
                     .unit = "Gop/s",
                     .evidence = fmt::format(
                         "{} got {:.4g} Gop/s, {:.4g} a cycle of each of {} compute units at {:.0f} MHz, but no known "
                         "one does more than {:.0f}: this is not to be believed; please report the driver.",
                         what_computes(worst->point.words), median_of(*worst), per_unit_and_cycle(device, *worst),
                         device.compute_units, measure::clock_mhz(device, worst->state), allowed)});
  }
  return found;
}

}  // namespace sonde::probes::compute_probe
