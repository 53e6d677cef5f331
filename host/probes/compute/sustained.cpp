#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "measure/visits.hpp"
#include "probes/compute/compute.hpp"

namespace sonde::probes::compute_probe {
namespace {

constexpr int seconds_of_load = 10;
/// A smaller change is within the noise of points.
constexpr double steady = 0.97;

double second_of(const Measurement& one) { return one.point.x.seconds.value(); }

/// The seconds of the load that were measured, in their order.
std::vector<const Measurement*> in_order(std::span<const Measurement> measurements) {
  std::vector<const Measurement*> found;
  for (const Measurement& one : measurements) {
    if (one.point.x.seconds && one.unit == "Gop/s") found.push_back(&one);
  }
  std::ranges::sort(found, {}, [](const Measurement* one) { return second_of(*one); });
  return found;
}

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

std::vector<Point> sustained_points(const device::DeviceInfo& device, const Request& request,
                                    std::span<const Measurement> known) {
  const Measurement* const main = main_rate(known, NumberType::fp32);
  const bool heats = device.type != device::DeviceType::model;
  if (main == nullptr || request.effort == Effort::quick || !heats) return {};
  std::vector<Point> points;
  for (int second = 1; second <= seconds_of_load; ++second) {
    Point point = point_on(rate, {.seconds = second}, main->point.words);
    point.expected_seconds = 1.1;
    point.shape = main->state.shape;
    points.push_back(point);
  }
  return points;
}

std::vector<Finding> sustained_findings(std::span<const Measurement> measurements) {
  const std::vector<const Measurement*> all = in_order(measurements);
  if (all.size() < 2) return {};
  const Measurement& first = *all.front();
  const Measurement& last = *all.back();
  const double ratio = median_of(last) / median_of(first);
  Finding finding{.kind = &sustained, .words = first.point.words, .value = six_digits(ratio), .unit = "ratio"};
  const char* const how = ratio < steady ? "slower" : ratio > 1 / steady ? "faster" : "as fast";
  finding.evidence =
      fmt::format("fp32 {} made {:.4g} Gop/s in second {:.0f} and {:.4g} in second {:.0f}, {:.3g} of it: {}{}.",
                  measure::word_of(first.point.words.operation.value()), median_of(first), second_of(first),
                  median_of(last), second_of(last), ratio, how, surroundings(all));
  finding.details = {{"first_gops", six_digits(median_of(first))}, {"last_gops", six_digits(median_of(last))}};
  add_details(finding, "first", first.state.device_state);
  add_details(finding, "last", last.state.device_state);
  const auto disturbed = std::ranges::any_of(all, [](const Measurement* one) { return one->state.disturbed; });
  if (disturbed) finding.evidence += " Other programs used the CPU meanwhile.";
  return {finding};
}

}  // namespace sonde::probes::compute_probe
