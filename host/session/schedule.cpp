#include "session/schedule.hpp"

#include <algorithm>
#include <cmath>

#include "measure/targets.hpp"

namespace sonde::session {
namespace {

constexpr double share_of_a_further_device = 0.4;

/// What a candidate weighs whose printed numbers are all within their targets: more points make better pictures.
constexpr double weight_of_nothing_open = 0.25;
/// A curve with very many numbers would leave no time to others.
constexpr int most_weighed = 10;
/// What a candidate is taken to have spent at least, so that the first seconds are not worth everything.
constexpr double least_seconds_spent = 0.5;
/// A visit costs so much at least, for the way to the worker and back.
constexpr double least_seconds_of_a_visit = 0.001;

bool is_open(double low, double value, double high, measure::Quantity quantity) {
  return !measure::is_within_target({.low = low, .value = std::abs(value), .high = high}, quantity);
}

bool is_open(const std::optional<analysis::Bracket>& bracket, measure::Quantity quantity) {
  return bracket && is_open(bracket->low, bracket->value, bracket->high, quantity);
}

}  // namespace

double budget_of(double seconds_for_one_device, std::size_t devices) {
  const double further = static_cast<double>(std::max<std::size_t>(devices, 1) - 1);
  return seconds_for_one_device * (1 + share_of_a_further_device * further);
}

int open_quantities(const measure::Conclusion& conclusion) {
  using measure::Quantity;
  int open = 0;
  for (const measure::FoundLevel& level : conclusion.levels) {
    open += is_open(level.found.bytes, Quantity::size) ? 1 : 0;
    open += is_open(level.gbps ? level.gbps : std::optional(level.found.latency_ns), Quantity::rate) ? 1 : 0;
  }
  for (const measure::Finding& finding : conclusion.findings) {
    if (finding.value && finding.low && finding.high)
      open += is_open(*finding.low, *finding.value, *finding.high, Quantity::rate) ? 1 : 0;
  }
  return open;
}

std::optional<std::size_t> most_worthwhile(std::span<const Candidate> candidates, double seconds_left) {
  const auto first_look = std::ranges::find(candidates, true, &Candidate::is_first_look);
  if (first_look != candidates.end()) return static_cast<std::size_t>(first_look - candidates.begin());
  std::optional<std::size_t> best;
  double most = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& one = candidates[i];
    if (one.seconds_of_next > seconds_left) continue;
    const double weight = std::max<double>(weight_of_nothing_open, std::min(one.open_quantities, most_weighed));
    const double cost = std::max(one.seconds_of_next, least_seconds_of_a_visit);
    const double gain = weight * std::log1p(cost / std::max(one.seconds_spent, least_seconds_spent)) / cost;
    if (!best || gain > most) {
      best = i;
      most = gain;
    }
  }
  return best;
}

}  // namespace sonde::session
