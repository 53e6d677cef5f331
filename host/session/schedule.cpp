#include "session/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "analysis/statistics.hpp"
#include "measure/targets.hpp"

namespace sonde::session {
namespace {

constexpr double share_of_a_further_device = 0.4;

/// What a candidate weighs whose printed numbers are all within their targets: more points make better pictures.
constexpr double weight_of_no_doubt = 0.25;
/// A number whose interval is far too wide would leave no time to others.
constexpr double most_doublings = 4;
/// Levels that no time makes sharper, as on a machine that others share, would leave none to anything else.
constexpr double most_doublings_of_levels = 10;
/// A size weighs as much as so many latencies: it is what readers look for first.
constexpr double weight_of_a_size = 2;
/// The findings of a probe that a screen has room for, and the doublings that they count at most.
constexpr std::size_t findings_printed = 2;
constexpr double most_doublings_of_findings = 2;
/// What a candidate is taken to have spent at least, so that the first seconds are not worth everything.
constexpr double least_seconds_spent = 0.5;
/// A visit costs so much at least, for the way to the worker and back.
constexpr double least_seconds_of_a_visit = 0.001;

double doublings(double low, double value, double high, measure::Quantity quantity) {
  const double half_width = measure::relative_half_width({.low = low, .value = std::abs(value), .high = high});
  return std::clamp(std::log2(half_width / measure::half_width_at(quantity, 1)), 0.0, most_doublings);
}

double doublings(const std::optional<analysis::Bracket>& bracket, measure::Quantity quantity) {
  return bracket ? doublings(bracket->low, bracket->value, bracket->high, quantity) : 0;
}

}  // namespace

double budget_of(double seconds_for_one_device, std::size_t devices) {
  const double further = static_cast<double>(std::max<std::size_t>(devices, 1) - 1);
  return seconds_for_one_device * (1 + share_of_a_further_device * further);
}

double doubt(const measure::Conclusion& conclusion) {
  using measure::Quantity;
  double sum = 0;
  for (const measure::FoundLevel& level : conclusion.levels) {
    // The size of a cache that latency found is latency's to sharpen.
    if (!level.matches) sum += weight_of_a_size * doublings(level.found.bytes, Quantity::size);
    sum += doublings(level.gbps ? level.gbps : std::optional(level.found.latency_ns), Quantity::rate);
  }
  if (!conclusion.levels.empty()) return std::min(sum, most_doublings_of_levels);
  std::vector<double> of_findings;
  for (const measure::Finding& finding : conclusion.findings) {
    if (finding.value && finding.low && finding.high)
      of_findings.push_back(doublings(*finding.low, *finding.value, *finding.high, Quantity::rate));
  }
  std::ranges::sort(of_findings, std::greater());
  of_findings.resize(std::min(of_findings.size(), findings_printed));
  return std::min(std::accumulate(of_findings.begin(), of_findings.end(), 0.0), most_doublings_of_findings);
}

std::string most_doubtful(const measure::Conclusion& conclusion) {
  using measure::Quantity;
  std::string name;
  double most = 0;
  const auto consider = [&](double in_doubt, const std::string& of) {
    if (in_doubt <= most) return;
    most = in_doubt;
    name = of;
  };
  for (const measure::FoundLevel& level : conclusion.levels) {
    consider(doublings(level.found.bytes, Quantity::size), "the size of " + level.name);
    if (level.gbps) {
      consider(doublings(level.gbps, Quantity::rate), "the bandwidth of " + level.name);
    } else {
      consider(doublings(std::optional(level.found.latency_ns), Quantity::rate), "the latency of " + level.name);
    }
  }
  return name;
}

double doubt_of_verdict(std::span<const double> log_ratios, double threshold) {
  constexpr std::size_t fewest_pairs = 8;  // fewer tell nothing of their scatter
  constexpr double doubt_of_few_pairs = 2;
  constexpr double errors_of_a_verdict = 3.3;  // 1 in 1,000 of each, as many features are judged
  // The standard error of a median of n numbers, whose median deviation is 1.
  constexpr double of_a_median_deviation = 1.4826 * 1.2533;
  if (log_ratios.size() < fewest_pairs) return doubt_of_few_pairs;
  const double middle = analysis::quantile(log_ratios, 0.5);
  std::vector<double> deviations;
  for (const double ratio : log_ratios) deviations.push_back(std::abs(ratio - middle));
  const double error =
      analysis::quantile(deviations, 0.5) * of_a_median_deviation / std::sqrt(static_cast<double>(log_ratios.size()));
  const double margin = std::abs(std::abs(middle) - threshold);
  return std::clamp(std::log2(errors_of_a_verdict * error / std::max(margin, 1e-6)), 0.0, most_doublings);
}

std::optional<std::size_t> most_worthwhile(std::span<const Candidate> candidates, double seconds_left) {
  const auto first_look = std::ranges::find(candidates, true, &Candidate::is_first_look);
  if (first_look != candidates.end()) return static_cast<std::size_t>(first_look - candidates.begin());
  std::optional<std::size_t> best;
  double most = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& one = candidates[i];
    if (one.seconds_of_next > seconds_left) continue;
    const double weight = std::max(weight_of_no_doubt, one.doubt);
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
