#include "analysis/hidden_copy.hpp"

#include <algorithm>
#include <functional>

#include "analysis/statistics.hpp"

namespace sonde::analysis {
namespace {

/// Of the time that a copy takes: from here on it is one, by a faster engine or of a part.
constexpr double share_of_a_copy = 1.0 / 3;
/// Below, no work on every line or page of the buffer is so fast: what grew is the way to one word.
constexpr double least_share = 0.05;
/// As a share of the smallest buffer's time: less growth is none.
constexpr double least_growth = 0.5;
/// Sizes whose ratio is less say little about growth.
constexpr double wide_apart = 4;
/// Where the second largest size took so many times more, or less, than a line to the largest says, it is no line.
constexpr double one_line = 2.5;

using Rounds = std::vector<RoundTime>;

/// Median of the slopes from the largest size to those well below it, in ns a byte.
double slope(const Rounds& rounds) {
  const RoundTime& last = rounds.back();
  std::vector<double> slopes;
  for (const RoundTime& one : rounds) {
    if (last.bytes < wide_apart * one.bytes) continue;
    slopes.push_back((last.nanoseconds - one.nanoseconds) / (last.bytes - one.bytes));
  }
  return slopes.empty() ? 0 : quantile(slopes, 0.5);
}

double growth_ns(const Rounds& rounds) { return slope(rounds) * (rounds.back().bytes - rounds.front().bytes); }

/// What the second largest size took beyond the smallest, over what a line from there to the largest says.
double straightness(const Rounds& rounds) {
  const RoundTime& first = rounds.front();
  const RoundTime& before = rounds[rounds.size() - 2];
  const RoundTime& last = rounds.back();
  const double expected = (last.nanoseconds - first.nanoseconds) / (last.bytes - first.bytes);
  return (before.nanoseconds - first.nanoseconds) / (before.bytes - first.bytes) / expected;
}

Rounds sorted(std::span<const RoundTime> rounds) {
  Rounds all(rounds.begin(), rounds.end());
  std::ranges::sort(all, {}, &RoundTime::bytes);
  return all;
}

HiddenCopy unclear(const std::string& why) { return {.verdict = HiddenCopy::Verdict::unclear, .why = why}; }

}  // namespace

HiddenCopy find_hidden_copy(std::span<const RoundTime> rounds, std::span<const Rounds> visits, double copy_gbps) {
  const Rounds all = sorted(rounds);
  if (all.size() < 3 || all.back().bytes < 16 * all.front().bytes) {
    return unclear("there are too few sizes, or they lie too near to each other, to tell whether time grows");
  }
  if (copy_gbps <= 0) return unclear("no copy that was asked for could be timed to compare with");
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
  if (share.high < least_share || growth.high < least_growth) return {.verdict = HiddenCopy::Verdict::none};
  const bool copies = share.low >= share_of_a_copy;
  const bool maintains = share.low >= least_share && share.high < share_of_a_copy;
  if ((!copies && !maintains) || growth.low < least_growth) {
    HiddenCopy open = unclear(
        "the times vary so much that another run might read a copy, or none, from them; measure on an idle machine");
    open.is_open = true;
    return open;
  }
  const Estimate line = estimate(straightness);
  if (line.high < 1 / one_line || line.low > one_line) {
    return unclear("time grows with the size, but not in proportion to it");
  }
  std::vector<double> rates;
  for (const Rounds& visit : each) rates.push_back(1 / slope(visit));
  return {.verdict = copies ? HiddenCopy::Verdict::copy : HiddenCopy::Verdict::maintenance,
          .gbps = predicted_above_zero(1 / slope(all), rates)};
}

}  // namespace sonde::analysis
