#include "analysis/size_curves.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace sonde::analysis {
namespace {

constexpr double tolerated = 1.25;

using Points = std::vector<std::pair<double, double>>;

FlatStretch stretch_of(std::span<const std::pair<double, double>> points) {
  std::vector<double> values;
  for (const auto& [bytes, value] : points) values.push_back(value);
  return {.first_bytes = points.front().first, .last_bytes = points.back().first, .value = quantile(values, 0.5)};
}

/// The number of points from `first` on lie within the tolerated ratio.
std::size_t length_from(const Points& points, std::size_t first) {
  double least = points[first].second;
  double most = least;
  std::size_t end = first;
  for (; end < points.size(); ++end) {
    least = std::min(least, points[end].second);
    most = std::max(most, points[end].second);
    if (most > tolerated * least) break;
  }
  return end - first;
}

/// Adds the longest stretch of a range, and those on either side of it by the same rule.
void add_longest(const Points& points, std::size_t begin, std::size_t end, std::vector<FlatStretch>& found) {
  std::size_t best = begin;
  std::size_t best_length = 0;
  for (std::size_t first = begin; first < end; ++first) {
    const std::size_t length = std::min(length_from(points, first), end - first);
    if (length > best_length) {
      best = first;
      best_length = length;
    }
  }
  if (best_length < 2) return;
  add_longest(points, begin, best, found);
  found.push_back(stretch_of(std::span(points).subspan(best, best_length)));
  add_longest(points, best + best_length, end, found);
}

}  // namespace

std::vector<FlatStretch> flat_stretches(const std::map<double, double>& value_by_bytes, Trend trend) {
  const Points points(value_by_bytes.begin(), value_by_bytes.end());
  std::vector<FlatStretch> all;
  add_longest(points, 0, points.size(), all);
  std::vector<FlatStretch> kept;
  for (const FlatStretch& one : all) {
    const auto nearer_is_worse = [&](const FlatStretch& nearer) {
      return trend == Trend::falls ? nearer.value < one.value : nearer.value > one.value;
    };
    const auto as_good = [&](const FlatStretch& nearer) {
      return std::max(nearer.value, one.value) <= tolerated * std::min(nearer.value, one.value);
    };
    // A single bad point cuts one stretch in two.
    if (!kept.empty() && as_good(kept.back())) {
      kept.back().last_bytes = one.last_bytes;
      continue;
    }
    while (!kept.empty() && nearer_is_worse(kept.back())) kept.pop_back();
    kept.push_back(one);
  }
  return kept;
}

namespace {

/// A bus between two chips and back adds more; another path through one chip does not.
constexpr double least_bus_ns = 400;
constexpr double least_bus_ratio = 1.8;
/// A cache serves what is below the first share of the latency at the largest size, and none what is above the second.
constexpr double served = 0.8;
constexpr double not_served = 0.9;
/// The bypassing kind has to be farther on its way up by this share.
constexpr double clearly_further = 0.2;
constexpr double alike = 1.25;

}  // namespace

std::optional<MemoryDistance> compare_memories(const LatencyBySize& own, const LatencyBySize& other) {
  MemoryDistance found;
  std::vector<double> distances;
  for (const auto& [bytes, ns] : own) {
    if (!other.contains(bytes)) continue;
    found.bytes = bytes;
    found.own_ns = ns;
    found.other_ns = other.at(bytes);
    distances.push_back(std::abs(std::log(found.other_ns / ns)));
  }
  if (distances.empty()) return std::nullopt;
  found.bus_margin =
      std::min((found.other_ns - found.own_ns) / least_bus_ns, found.other_ns / found.own_ns / least_bus_ratio) - 1;
  found.bypass_margin = -1;
  for (const auto& [bytes, ns] : own) {
    if (!other.contains(bytes) || bytes >= found.bytes) continue;
    const double own_share = ns / found.own_ns;
    const double other_share = other.at(bytes) / found.other_ns;
    const double margin =
        std::min({served - own_share, other_share - not_served, other_share - own_share - clearly_further});
    if (margin > 0 && found.bypass_margin <= 0) found.bypassed_bytes = bytes;
    found.bypass_margin = std::max(found.bypass_margin, margin);
  }
  found.alike_margin = 1 - std::max(distances.back(), quantile(distances, 0.5)) / std::log(alike);
  return found;
}

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

/// Each time lowered to the least of any larger size: a round over less never takes longer, so one that seems to was
/// disturbed, and would hide how time grows.
Rounds never_falling(Rounds rounds) {
  for (std::size_t i = rounds.size(); i-- > 1;)
    rounds[i - 1].nanoseconds = std::min(rounds[i - 1].nanoseconds, rounds[i].nanoseconds);
  return rounds;
}

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

ImplicitCopy find_implicit_copy(std::span<const CopyTime> rounds, std::span<const Rounds> runs, double copy_gbps) {
  const Rounds all = never_falling(sorted(rounds));
  if (all.size() < 3 || all.back().bytes < 16 * all.front().bytes) {
    return {.why = "there are too few sizes, or they lie too near to each other, to tell whether time grows"};
  }
  if (copy_gbps <= 0) return {.why = "no copy that was asked for could be timed to compare with"};
  std::vector<Rounds> each;
  for (const Rounds& run : runs) each.push_back(never_falling(sorted(run)));
  const auto estimate = [&](const std::function<double(const Rounds&)>& number) {
    std::vector<double> found;
    for (const Rounds& run : each) found.push_back(number(run));
    return among(number(all), found);
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
  return {.verdict = copies ? ImplicitCopy::Verdict::copy : ImplicitCopy::Verdict::maintenance,
          .gbps = estimate([](const Rounds& one) { return 1 / slope(one); })};
}

}  // namespace sonde::analysis
