#include "analysis/copy_times.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace sonde::analysis {
namespace {

/// Small copies are those up to this many times the smallest size. Large ones are at least 4/16 of the largest.
constexpr double reach = 16;
/// A latency below this share of the smallest copy's time cannot be separated from its bytes.
constexpr double least_latency_share = 0.05;

using Rounds = std::vector<CopyTime>;

Rounds sorted(std::span<const CopyTime> times) {
  Rounds all(times.begin(), times.end());
  std::ranges::sort(all, {}, &CopyTime::bytes);
  return all;
}

/// The median of where the lines through all pairs of points meet zero bytes; one disturbed size must not decide.
double intercept(std::span<const CopyTime> times) {
  std::vector<double> found;
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (std::size_t j = i + 1; j < times.size(); ++j) {
      const double slope = (times[j].nanoseconds - times[i].nanoseconds) / (times[j].bytes - times[i].bytes);
      found.push_back(times[i].nanoseconds - slope * times[i].bytes);
    }
  }
  return quantile(found, 0.5);
}

}  // namespace

std::optional<CopyLine> fit_copy_line(std::span<const CopyTime> times) {
  const Rounds all = sorted(times);
  if (all.size() < 2 || all.front().bytes == all.back().bytes) return std::nullopt;
  const double smallest = all.front().bytes;
  const double largest = all.back().bytes;
  const auto small_end = std::ranges::find_if(all, [&](const CopyTime& one) { return one.bytes > smallest * reach; });
  const auto small =
      std::span(all).first(static_cast<std::size_t>(std::max<std::ptrdiff_t>(2, small_end - all.begin())));

  CopyLine line;
  const double latency = intercept(small);
  if (latency > least_latency_share * all.front().nanoseconds) line.latency_ns = latency;
  std::vector<double> rates;
  for (const CopyTime& one : all) {
    if (one.bytes < largest / reach * 4) continue;
    if (one.nanoseconds <= line.latency_ns) return std::nullopt;
    rates.push_back(one.bytes / (one.nanoseconds - line.latency_ns));
  }
  line.gbps = quantile(rates, 0.5);
  for (const CopyTime& one : all) {
    const double expected = line.latency_ns + one.bytes / line.gbps;
    line.worst = std::max(line.worst, std::abs(expected / one.nanoseconds - 1));
  }
  return line;
}

namespace {

/// Growth of at least this share of an explicit copy's time is a copy, by a faster engine or of a part.
constexpr double share_of_a_copy = 1.0 / 3;
/// Growth below this share is too fast for any work on every line or page of the buffer; only the way to one word took
/// longer.
constexpr double least_share = 0.05;
/// Growth below this share of the smallest buffer's time counts as none.
constexpr double least_growth = 0.5;
/// Sizes whose ratio is less say little about growth.
constexpr double wide_apart = 4;
/// Time is not proportional to size where the second largest size is off the line to the largest by this factor.
constexpr double one_line = 2.5;

/// The median of the slopes from the largest size to those well below it, in ns a byte.
double slope(const Rounds& rounds) {
  const CopyTime& last = rounds.back();
  std::vector<double> slopes;
  for (const CopyTime& one : rounds) {
    if (last.bytes < wide_apart * one.bytes) continue;
    slopes.push_back((last.nanoseconds - one.nanoseconds) / (last.bytes - one.bytes));
  }
  return slopes.empty() ? 0 : quantile(slopes, 0.5);
}

double growth_ns(const Rounds& rounds) { return slope(rounds) * (rounds.back().bytes - rounds.front().bytes); }

/// The increase from the smallest to the second largest size, over what the line to the largest says.
double straightness(const Rounds& rounds) {
  const CopyTime& first = rounds.front();
  const CopyTime& before = rounds[rounds.size() - 2];
  const CopyTime& last = rounds.back();
  const double expected = (last.nanoseconds - first.nanoseconds) / (last.bytes - first.bytes);
  return (before.nanoseconds - first.nanoseconds) / (before.bytes - first.bytes) / expected;
}

}  // namespace

ImplicitCopy find_implicit_copy(std::span<const CopyTime> rounds, std::span<const Rounds> visits, double copy_gbps) {
  const Rounds all = sorted(rounds);
  if (all.size() < 3 || all.back().bytes < 16 * all.front().bytes) {
    return {.why = "there are too few sizes, or they lie too near to each other, to tell whether time grows"};
  }
  if (copy_gbps <= 0) return {.why = "no copy that was asked for could be timed to compare with"};
  std::vector<Rounds> each;
  for (const Rounds& visit : visits) each.push_back(sorted(visit));
  const auto estimate = [&](const std::function<double(const Rounds&)>& number) {
    std::vector<double> found;
    for (const Rounds& visit : each) found.push_back(number(visit));
    return predicted(number(all), found);
  };
  const double copy_ns = all.back().bytes / copy_gbps;
  const Estimate share = estimate([&](const Rounds& one) { return growth_ns(one) / copy_ns; });
  const Estimate growth = estimate([](const Rounds& one) { return growth_ns(one) / one.front().nanoseconds; });
  if (share.high < least_share || growth.high < least_growth) return {.verdict = ImplicitCopy::Verdict::none};
  const bool copies = share.low >= share_of_a_copy;
  const bool maintains = share.low >= least_share && share.high < share_of_a_copy;
  if ((!copies && !maintains) || growth.low < least_growth) {
    return {.why =
                "the times vary so much that another run might read a copy, or none, from them; measure on an idle "
                "machine",
            .is_open = true};
  }
  const Estimate line = estimate(straightness);
  if (line.high < 1 / one_line || line.low > one_line) {
    return {.why = "time grows with the size, but not in proportion to it"};
  }
  std::vector<double> rates;
  for (const Rounds& visit : each) rates.push_back(1 / slope(visit));
  return {.verdict = copies ? ImplicitCopy::Verdict::copy : ImplicitCopy::Verdict::maintenance,
          .gbps = predicted_above_zero(1 / slope(all), rates)};
}

}  // namespace sonde::analysis
