#include "analysis/hidden_copy.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/statistics.hpp"

namespace sonde::analysis {
namespace {

/// Of the time that a copy takes: from here on it is one, by a faster engine or of a part.
constexpr double share_of_a_copy = 1.0 / 3;
/// Below, no work on every line or page of the buffer is so fast: what grew is the way to one word.
constexpr double least_share = 0.01;
/// Sizes whose ratio is less say little about growth.
constexpr double wide_apart = 4;
/// Two halves of the sizes whose slopes differ more are no line.
constexpr double one_line = 2.5;

/// Median of the slopes from the largest size to those well below it, in ns a byte.
double slope_to_largest(const std::vector<RoundTime>& rounds, std::size_t count) {
  const RoundTime& last = rounds[count - 1];
  std::vector<double> slopes;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    if (last.bytes < wide_apart * rounds[i].bytes) continue;
    slopes.push_back((last.median_ns - rounds[i].median_ns) / (last.bytes - rounds[i].bytes));
  }
  return slopes.empty() ? 0 : quantile(slopes, 0.5);
}

HiddenCopy unclear(HiddenCopy found, const std::string& why) {
  found.verdict = HiddenCopy::Verdict::unclear;
  found.why = why;
  return found;
}

}  // namespace

HiddenCopy find_hidden_copy(std::vector<RoundTime> rounds, double copy_gbps) {
  HiddenCopy found;
  std::ranges::sort(rounds, {}, &RoundTime::bytes);
  if (rounds.size() < 3 || rounds.back().bytes < 16 * rounds.front().bytes) {
    return unclear(found, "there are too few sizes, or they lie too near to each other, to tell whether time grows");
  }
  if (copy_gbps <= 0) return unclear(found, "no copy that was asked for could be timed to compare with");
  const RoundTime& last = rounds.back();
  const double slope = slope_to_largest(rounds, rounds.size());
  found.growth_ns = slope * (last.bytes - rounds.front().bytes);
  const double copy_ns = last.bytes / copy_gbps;
  const double noise_ns = std::hypot(last.half_width_ns, rounds.front().half_width_ns);
  const double share = found.growth_ns / copy_ns;
  if (4 * noise_ns > share_of_a_copy * copy_ns && share < share_of_a_copy) {
    return unclear(
        found,
        "the times vary so much that a copy of the largest size would not stand out; measure on an idle machine");
  }
  const bool grows = found.growth_ns > 4 * noise_ns && found.growth_ns > rounds.front().median_ns / 2;
  if (share < least_share || !grows) {
    found.verdict = HiddenCopy::Verdict::none;
    return found;
  }
  // Where the second largest size already takes its share, the line to it is as steep.
  const RoundTime& before = rounds[rounds.size() - 2];
  const double earlier = slope_to_largest(rounds, rounds.size() - 1);
  const bool seen_earlier = earlier * before.bytes > 4 * std::hypot(before.half_width_ns, rounds.front().half_width_ns);
  const bool straight = earlier > slope / one_line && earlier < slope * one_line;
  if (!straight && (seen_earlier || slope * before.bytes > 8 * before.half_width_ns + rounds.front().median_ns)) {
    return unclear(found, "time grows with the size, but not in proportion to it");
  }
  found.gbps = 1 / slope;
  found.verdict = share >= share_of_a_copy ? HiddenCopy::Verdict::copy : HiddenCopy::Verdict::maintenance;
  return found;
}

}  // namespace sonde::analysis
