#include <fmt/format.h>

#include <set>

#include "analysis/number_text.hpp"
#include "measure/cycles.hpp"
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

constexpr int seconds_of_load = 10;
/// A smaller change is within the noise of points.
constexpr double steady = 0.97;

double second_of(const Measurement& one) { return one.point.x.seconds.value(); }

std::string from_to(const char* what, std::optional<double> first, std::optional<double> last, const char* unit) {
  if (!first || !last) return "";
  return fmt::format("; {} {:.0f} {}, then {:.0f}", what, *first, unit, *last);
}

/// Clock, power and throttling, as far as they are known.
std::string surroundings(const std::vector<const Measurement*>& all) {
  const counters::DeviceState& first = all.front()->state.device_state;
  const counters::DeviceState& last = all.back()->state.device_state;
  std::string text = from_to("its clock was", first.gpu_clock_mhz, last.gpu_clock_mhz, "MHz");
  if (text.empty()) text = from_to("the CPU's clock was", first.cpu_clock_mhz, last.cpu_clock_mhz, "MHz");
  text += from_to("it took", first.power_watts, last.power_watts, "W");
  std::set<std::string> reasons;
  bool known = false;
  for (const Measurement* one : all) {
    if (!one->state.device_state.throttle_reasons) continue;
    known = true;
    reasons.insert(one->state.device_state.throttle_reasons->begin(), one->state.device_state.throttle_reasons->end());
  }
  if (reasons.empty()) return known ? text + "; it was not throttled" : text;
  return text + fmt::format("; it was throttled by {}", fmt::join(reasons, ", "));
}

void add_details(Finding& finding, const std::string& when, const counters::DeviceState& state) {
  const auto add = [&](const char* what, std::optional<double> value) {
    if (value) finding.details[when + what] = six_digits(*value);
  };
  add("_clock_mhz", state.gpu_clock_mhz ? state.gpu_clock_mhz : state.cpu_clock_mhz);
  add("_power_watts", state.power_watts);
}

}  // namespace

std::vector<Finding> peaks(const device::DeviceInfo& device, std::span<const Measurement> measurements) {
  std::vector<Finding> found;
  for (const device::NumberTypeFacts& type : device::number_types) {
    const Measurement* const main = main_rate(measurements, type.type);
    if (main == nullptr) continue;
    Finding& finding = found.emplace_back(
        finding_of(peak, main->point.words, estimate(*main, measurements),
                   fmt::format("{} reaches {} Gop/s by {}", what_computes(main->point.words),
                               analysis::number_text(median_of(*main), 4), shape_text(main->state.shape))));
    if (const double each = per_unit_and_cycle(device, *main); each > 0) {
      finding.evidence +=
          fmt::format(": {} operations a cycle of each of {} compute units at {:.0f} MHz", analysis::number_text(each),
                      device.compute_units, measure::clock_mhz(device, main->state));
      finding.details["operations_per_unit_and_cycle"] = six_digits(each);
      finding.details["clock_mhz"] = six_digits(measure::clock_mhz(device, main->state));
    }
    if (visits_disagree(*main)) {
      const analysis::Interval range = measure::range_of_visits(*main);
      finding.evidence += fmt::format(", from {} to {} at different moments", analysis::number_text(range.low, 4),
                                      analysis::number_text(range.high, 4));
    }
    const Measurement* const single = main_rate(measurements, NumberType::fp32);
    if (single != nullptr && single != main) {
      const double ratio = median_of(*main) / median_of(*single);
      finding.evidence += fmt::format(", {} of fp32's rate", analysis::number_text(ratio));
      finding.details["ratio_to_fp32"] = six_digits(ratio);
    }
    finding.evidence += ".";
    if (!main->state.instruction.empty())
      finding.evidence += fmt::format(" The driver's code computes by {}.", main->state.instruction);
    if (device.emulated_types.contains(std::string(type.name)))
      finding.evidence += " The driver says that the device has no instruction for it.";
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
  const measure::SeenInRuns<double> seen(measurements, [](std::span<const Measurement> some) {
    return median_of(*main_rate(some, NumberType::fp16)) / median_of(*main_rate(some, NumberType::fp32));
  });
  const std::string& instruction = half->state.instruction;
  return {finding_of(
      half_rate, half->point.words, seen.estimate(std::identity()),
      fmt::format("fp16 fma reaches {} Gop/s and fp32 {}: {} of it, {}.{}", analysis::number_text(median_of(*half), 4),
                  analysis::number_text(median_of(*single), 4), analysis::number_text(ratio), what,
                  instruction.empty() ? "" : " The driver's code computes halves by " + instruction + "."))};
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
    found.push_back(
        {.kind = &suspicious,
         .words = worst->point.words,
         .value = six_digits(median_of(*worst)),
         .evidence = fmt::format("{} got {} Gop/s, {} a cycle of each of {} compute units at {:.0f} MHz, but no known "
                                 "one does more than {:.0f}: this is not to be believed; please report the driver.",
                                 what_computes(worst->point.words), analysis::number_text(median_of(*worst), 4),
                                 analysis::number_text(per_unit_and_cycle(device, *worst), 4), device.compute_units,
                                 measure::clock_mhz(device, worst->state), allowed)});
  }
  return found;
}

std::vector<Point> sustained_points(const device::DeviceInfo& device, std::span<const Measurement> known) {
  const Measurement* const main = main_rate(known, NumberType::fp32);
  const bool heats = device.type != device::DeviceType::model;
  if (main == nullptr || !heats) return {};
  std::vector<Point> points;
  for (int second = 1; second <= seconds_of_load; ++second) {
    // Whoever begins the load has to have time for all of it.
    const double expected_seconds = 1.1 * (second == 1 ? seconds_of_load : 1);
    Point point = point_on(rate, {.seconds = second}, main->point.words, expected_seconds);
    point.shape = main->state.shape;
    point.follows_at_once = second > 1;
    point.is_visited_once = true;
    points.push_back(std::move(point));
  }
  return points;
}

std::vector<Finding> sustained_findings(std::span<const Measurement> measurements) {
  std::vector<const Measurement*> all;
  for (const Measurement& one : measurements) {
    if (one.point.x.seconds && one.unit == "Gop/s") all.push_back(&one);
  }
  std::ranges::sort(all, {}, [](const Measurement* one) { return second_of(*one); });
  if (all.size() < 2) return {};
  const Measurement& first = *all.front();
  const Measurement& last = *all.back();
  const measure::SeenInRuns<double> seen(std::vector{first, last}, [](std::span<const Measurement> ends) {
    return median_of(ends.back()) / median_of(ends.front());
  });
  const double ratio = seen.all();
  Finding finding = finding_of(sustained, first.point.words, seen.margin(std::identity()), "");
  const char* const how = ratio < steady ? "slower" : ratio > 1 / steady ? "faster" : "as fast";
  finding.evidence =
      fmt::format("fp32 {} made {} Gop/s in second {:.0f} and {} in second {:.0f}, {} of it: {}{}.",
                  measure::word_of(first.point.words.operation.value()), analysis::number_text(median_of(first), 4),
                  second_of(first), analysis::number_text(median_of(last), 4), second_of(last),
                  analysis::number_text(ratio), how, surroundings(all));
  finding.details = {{"first_gops", six_digits(median_of(first))}, {"last_gops", six_digits(median_of(last))}};
  add_details(finding, "first", first.state.device_state);
  add_details(finding, "last", last.state.device_state);
  if (std::ranges::any_of(all, [](const Measurement* one) { return one->state.disturbed; }))
    finding.evidence += " Other programs used the CPU meanwhile.";
  return {finding};
}

}  // namespace sonde::probes::compute_probe
