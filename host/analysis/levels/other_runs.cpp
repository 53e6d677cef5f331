#include "analysis/levels/other_runs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <vector>

#include "analysis/prediction.hpp"

namespace sonde::analysis {
namespace {

/// Points within so much of a size tell what those at its edge scatter by.
constexpr double about = 4;
/// In standard deviations: that of this run, and as much of the other.
constexpr double runs_apart = 1.96 * std::numbers::sqrt2;
/// Scatter moves an edge by no more than to where one level alone is seen.
constexpr double most_octaves = 1;

}  // namespace

double scatter_between(std::span<const CurvePoint> swept, double from_bytes, double to_bytes) {
  std::vector<double> off;
  for (std::size_t i = 1; i + 1 < swept.size(); ++i) {
    if (swept[i].bytes < from_bytes || swept[i].bytes > to_bytes) continue;
    const double share =
        std::log(swept[i].bytes / swept[i - 1].bytes) / std::log(swept[i + 1].bytes / swept[i - 1].bytes);
    const double before = std::log(median_of(swept[i - 1]));
    const double after = std::log(median_of(swept[i + 1]));
    const double variances = 1 + share * share + (1 - share) * (1 - share);
    off.push_back(std::abs(std::log(median_of(swept[i])) - before - share * (after - before)) / std::sqrt(variances));
  }
  return off.empty() ? 0 : quantile(off, 0.5) / 0.6745;
}

Bracket in_other_runs(double value, std::span<const double> medians) {
  const Estimate predicted = predicted_of_neighbours(value, medians);
  return {predicted.low, predicted.value, predicted.high};
}

Bracket no_surer_than_runs_are(const Bracket& bracket, double scatter) {
  const double times = std::exp(runs_apart * scatter);
  const Bracket least = in_other_runs(bracket.value, std::array{bracket.value, bracket.value});
  return {std::min({bracket.low, least.low, bracket.value / times}), bracket.value,
          std::max({bracket.high, least.high, bracket.value * times})};
}

Bracket size_in_other_runs(const Bracket& bytes, const Step& step, std::span<const CurvePoint> swept) {
  const double moved =
      runs_apart * scatter_between(swept, bytes.value / about, bytes.value * about) / step.log_ns * step.octaves;
  const double times = std::exp2(std::min(moved, most_octaves));
  Bracket wider{std::min(bytes.low, bytes.value / times), bytes.value, std::max(bytes.high, bytes.value * times)};
  const auto above = std::ranges::upper_bound(swept, bytes.value, {}, &CurvePoint::bytes);
  const auto from = std::ranges::lower_bound(swept, bytes.value, {}, &CurvePoint::bytes);
  if (from == swept.begin() || above == swept.end()) return wider;
  // Of a size between two that were swept as far as they are apart.
  const double below_bytes = std::prev(from)->bytes;
  const double low = from == above ? bytes.value * below_bytes / above->bytes : below_bytes;
  const double high = from == above ? bytes.value * above->bytes / below_bytes : above->bytes;
  wider.low = std::min(wider.low, low);
  wider.high = std::max(wider.high, high);
  return wider;
}

}  // namespace sonde::analysis
