#include "measure/other_runs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "analysis/number_text.hpp"
#include "measure/targets.hpp"

namespace sonde::measure {
namespace {

/// Before any point has a second visit, visits are taken to have so many times the variance that parts of one have.
/// What second visits tell counts against it as degrees of freedom do.
constexpr double usual_times_of_parts = 3;
constexpr double usual_degrees = 4;
/// By so much, as a logarithm, runs are taken to differ beyond what any part of a visit shows: on a machine of one's
/// own, as the runs of an H100 do an hour and a restart apart, where second visits count against it too; and on one
/// that many use, whose neighbours stay for minutes.
constexpr double between_runs_alone = 0.02;
constexpr double between_runs_among_others = 0.1;
constexpr double usual_degrees_between_runs = 20;
/// The same of numbers that were read at one moment of such a machine: ten quick runs of a virtual machine whose cores
/// the host moves differed by 3 to 28 % at single points, in the median of each probe (November 2026).
constexpr double between_moments_among_others = 0.3;
/// A point that was interrupted, or whose visits fell in two groups, must not speak for all others.
constexpr double most_times_in_common = 3;
constexpr double most_times_of_parts = 20;
/// The reach of a number of which nothing tells how it scatters, as a share of it or a logarithm: from next to nothing,
/// or two fifths, to about twice as much.
constexpr double unknown_half_width = 0.9;

constexpr std::size_t parts = 3;
constexpr auto enough_visits = static_cast<std::size_t>(usual_visits);
constexpr double quantile_of_normal = 1.96;

/// The scatter of a measurement's parts of visits, and that of its visits.
struct SeenScatter {
  analysis::Scatter of_parts;
  analysis::Scatter of_visits;
  std::size_t visits = 0;
};

template <typename Number>
SeenScatter scatter_seen(const Measurement& one, Number number) {
  SeenScatter seen;
  std::vector<double> medians;
  for (const std::vector<double>& visit : values_by_visit(one)) {
    const std::span values(visit);
    if (values.empty()) continue;
    medians.push_back(number(analysis::quantile(values, 0.5)));
    if (values.size() < parts) continue;
    std::vector<double> of_parts;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t begin = values.size() * part / parts;
      const std::size_t end = values.size() * (part + 1) / parts;
      of_parts.push_back(number(analysis::quantile(values.subspan(begin, end - begin), 0.5)));
    }
    seen.of_parts = analysis::joined(seen.of_parts, analysis::scatter_of(of_parts));
  }
  seen.of_visits = analysis::scatter_of(medians);
  seen.visits = medians.size();
  return seen;
}

/// By how much runs are taken to differ where others took such a share of time, and second visits tell of so many
/// degrees of freedom.
double between_runs(double others, double degrees) {
  const double untold = usual_degrees_between_runs / (usual_degrees_between_runs + degrees);
  const double among = std::max(between_runs_among_others, between_moments_among_others * untold);
  return std::lerp(between_runs_alone * untold, among, analysis::among_others(others));
}

/// The reaches of measurements in one unit.
std::vector<Reach> reaches_of_family(const std::vector<const Measurement*>& family) {
  const bool above_zero = std::ranges::all_of(family, [](const Measurement* one) {
    return std::ranges::all_of(one->values, [](double value) { return value > 0; });
  });
  std::vector<SeenScatter> seen;
  std::vector<analysis::Scatter> of_parts;
  double others = 0;
  double largest = 0;
  for (const Measurement* one : family) {
    if (!one->values.empty()) largest = std::max(largest, std::abs(median_of(*one)));
    others += share_of_others(one->state) / static_cast<double>(family.size());
    seen.push_back(scatter_seen(*one, [&](double value) { return above_zero ? std::log(value) : value; }));
    of_parts.push_back(seen.back().of_parts);
  }
  const analysis::Scatter common = analysis::common_scatter(of_parts);
  double times = usual_times_of_parts * usual_degrees;
  double degrees = usual_degrees;
  for (SeenScatter& one : seen) {
    // One repetition that was interrupted hardly moves the median of a visit.
    one.of_parts.variance = std::min(one.of_parts.variance, most_times_in_common * common.variance);
    one.of_parts = analysis::joined(common, one.of_parts);
    if (one.of_visits.degrees == 0 || one.of_parts.variance == 0) continue;
    times += one.of_visits.degrees * std::min(most_times_of_parts, one.of_visits.variance / one.of_parts.variance);
    degrees += one.of_visits.degrees;
  }
  times /= degrees;
  const double among = analysis::among_others(others);
  const double of_runs = above_zero ? between_runs(others, degrees - usual_degrees) : 0;
  std::vector<Reach> found;
  for (const SeenScatter& one : seen) {
    const bool has_parts = one.of_parts.degrees > 0;
    const analysis::Scatter scatter{has_parts ? times * one.of_parts.variance : one.of_visits.variance,
                                    has_parts ? one.of_parts.degrees : one.of_visits.degrees};
    const double visits = std::max(1.0, static_cast<double>(one.visits));
    // Among others all visits of a run share its moment, so that two runs differ by what two visits do as well.
    const double variance = scatter.variance * std::lerp(analysis::variances_of_a_run / visits, 2 + 2 / visits, among);
    const double half_width = std::hypot(analysis::t_95(scatter.degrees) * std::sqrt(variance), of_runs);
    const double unknown = unknown_half_width * (above_zero ? 1 : largest);
    found.push_back({scatter.degrees > 0 ? half_width : unknown, above_zero});
  }
  return found;
}

}  // namespace

analysis::Estimate widened_among_others(const analysis::Estimate& estimate,
                                        std::span<const Measurement* const> measurements) {
  double others = 0;
  double degrees = 0;
  for (const Measurement* one : measurements) {
    others += share_of_others(one->state) / static_cast<double>(measurements.size());
    degrees += static_cast<double>(std::max<std::size_t>(1, one->visits.size()) - 1);
  }
  const double of_runs = between_runs(others, degrees) * analysis::among_others(others);
  const double below = std::hypot(std::log(estimate.value / estimate.low), of_runs);
  const double above = std::hypot(std::log(estimate.high / estimate.value), of_runs);
  return {.low = estimate.value * std::exp(-below), .value = estimate.value, .high = estimate.value * std::exp(above)};
}

double Reach::at(double median, double times) const {
  return is_of_logarithm ? median * std::exp(times * half_width) : median + times * half_width;
}

std::vector<Reach> reaches(std::span<const Measurement> measurements) {
  std::map<std::string_view, std::vector<const Measurement*>> families;
  for (const Measurement& one : measurements) families[one.unit].push_back(&one);
  std::vector<Reach> found(measurements.size());
  for (const auto& [unit, family] : families) {
    const std::vector<Reach> of_family = reaches_of_family(family);
    for (std::size_t i = 0; i < family.size(); ++i)
      found[static_cast<std::size_t>(family[i] - measurements.data())] = of_family[i];
  }
  return found;
}

OtherRuns::OtherRuns(std::span<const Measurement> measurements) : reaches_(reaches(measurements)) {
  std::map<std::pair<Words, std::string_view>, std::size_t> curves;
  for (const Measurement& one : measurements) {
    measurements_.push_back({one.point, one.unit, one.values, one.state});
    medians_.push_back(one.values.empty() ? 0 : median_of(one));
    curves_.push_back(curves.try_emplace({one.point.words, one.unit}, curves.size()).first->second);
  }
}

double OtherRuns::normal() {
  // The standard library's distribution is another one on each system.
  const auto uniform = [this] { return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53; };
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::span<const Measurement> OtherRuns::next() {
  std::vector<double> of_curves(measurements_.size());
  for (double& one : of_curves) one = normal();
  for (std::size_t i = 0; i < measurements_.size(); ++i) {
    const double off = (of_curves[curves_[i]] + normal()) / std::numbers::sqrt2;
    if (!measurements_[i].values.empty())
      measurements_[i].values = {reaches_[i].at(medians_[i], off / quantile_of_normal)};
  }
  return measurements_;
}

analysis::Estimate moderated(const analysis::Estimate& imagined, std::span<const double> of_visits) {
  if (of_visits.size() < 2) return imagined;
  const bool above_zero = imagined.low > 0 && std::ranges::min(of_visits) > 0;
  const auto number = [above_zero](double value) { return above_zero ? std::log(value) : value; };
  std::vector<double> numbers;
  std::ranges::transform(of_visits, std::back_inserter(numbers), number);
  const double below = number(imagined.value) - number(imagined.low);
  const double above = number(imagined.high) - number(imagined.value);
  const double expected = (below + above) / 2;
  const double variances = analysis::variances_of_a_run / static_cast<double>(of_visits.size());
  const double variance = std::pow(expected / analysis::t_95(usual_degrees), 2) / variances;
  const analysis::Scatter scatter = analysis::joined({variance, usual_degrees}, analysis::scatter_of(numbers));
  const double half_width = analysis::t_95(scatter.degrees) * std::sqrt(variances * scatter.variance);
  const auto at = [&](double off) { return above_zero ? imagined.value * std::exp(off) : imagined.value + off; };
  const double times = half_width / expected;
  return {.low = at(expected > 0 ? -times * below : -half_width),
          .value = imagined.value,
          .high = at(expected > 0 ? times * above : half_width)};
}

Known::Known(const analysis::Estimate& estimate, std::size_t visits, std::span<const double> seen)
    : Estimate(estimate) {
  if (is_steady(*this)) return;
  unsteady_visits = visits;
  const double lowest = seen.empty() ? value : std::min(std::ranges::min(seen), value);
  const double highest = seen.empty() ? value : std::max(std::ranges::max(seen), value);
  // What one or two visits tell of their scatter leaves a number no less known than one of which nothing tells.
  const bool are_enough = visits >= enough_visits;
  low = are_enough ? lowest : std::max(low, lowest * std::exp(-unknown_half_width));
  high = are_enough ? highest : std::min(high, highest * std::exp(unknown_half_width));
}

analysis::Estimate margin(const Measurement& one, std::span<const Measurement> all) {
  const Reach reach = reaches(all)[static_cast<std::size_t>(&one - all.data())];
  const double value = median_of(one);
  return moderated({.low = reach.at(value, -1), .value = value, .high = reach.at(value, 1)}, medians_by_visit(one));
}

Known estimate(const Measurement& one, std::span<const Measurement> all) {
  const std::vector<double> of_visits = medians_by_visit(one);
  return {margin(one, all), of_visits.size(), of_visits.size() >= enough_visits ? one.values : of_visits};
}

void set_value(Finding& finding, const analysis::Estimate& estimate) {
  finding.value = six_digits(estimate.value);
  if (!std::isfinite(estimate.low) || !std::isfinite(estimate.high)) return;
  finding.low = six_digits(estimate.low);
  finding.high = six_digits(estimate.high);
}

Finding finding_of(const FindingKind& kind, const Words& words, const Known& value, std::string evidence) {
  if (value.unsteady_visits > 0) {
    std::string range = fmt::format("{} to {}", analysis::number_text(value.low), analysis::number_text(value.high));
    if (kind.unit.name != units::ratio.name) range += fmt::format(" {}", kind.unit.name);
    evidence += value.unsteady_visits < enough_visits
                    ? fmt::format(" No steady value yet: another run may read {}.", range)
                    : fmt::format(" No steady value: {} over {} visits.", range, value.unsteady_visits);
  }
  Finding finding{.kind = &kind, .words = words, .evidence = std::move(evidence)};
  set_value(finding, value);
  return finding;
}

}  // namespace sonde::measure
