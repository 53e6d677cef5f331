#include "workloads/walk/beside_load.hpp"

#include <algorithm>
#include <cmath>

namespace sonde::workloads {
namespace {

/// A delay so many times as long follows one that did next to nothing.
constexpr double growth = 8;
constexpr double next_to_nothing = 0.9;

}  // namespace

std::optional<double> delay_in_the_widest_gap(const std::vector<ReachedLoad>& by_delay, std::size_t wanted_points,
                                              const LoadDelays& delays) {
  if (by_delay.empty() || by_delay.size() >= wanted_points) return std::nullopt;
  if (by_delay.size() == 1) return by_delay.front().delay == 0 ? std::optional(delays.first) : std::nullopt;
  const ReachedLoad& longest = by_delay.back();
  if (longest.gbps > next_to_nothing * by_delay.front().gbps) {
    return longest.delay < delays.longest ? std::optional(std::min(delays.longest, longest.delay * growth))
                                          : std::nullopt;
  }
  const double narrow = by_delay.front().gbps / static_cast<double>(wanted_points + 1);
  double widest = narrow;
  std::optional<double> wanted;
  for (std::size_t i = 0; i < by_delay.size(); ++i) {
    const bool is_last = i + 1 == by_delay.size();
    const double lower = is_last ? 0 : by_delay[i + 1].gbps;
    const double gap = by_delay[i].gbps - lower;
    if (gap <= widest) continue;
    // The line goes through this point and the next; beyond the last one, through the last two.
    const ReachedLoad& first = is_last ? by_delay[i - 1] : by_delay[i];
    const ReachedLoad& second = is_last ? by_delay[i] : by_delay[i + 1];
    const double slope = (1 / second.gbps - 1 / first.gbps) / (second.delay - first.delay);
    if (slope <= 0) continue;
    const double target = (by_delay[i].gbps + lower) / 2;
    const double delay = std::min(delays.longest, std::round(first.delay + (1 / target - 1 / first.gbps) / slope));
    const bool is_new = delay > by_delay[i].delay && (is_last || delay < by_delay[i + 1].delay);
    if (!is_new) continue;
    widest = gap;
    wanted = delay;
  }
  return wanted;
}

std::string describe_disturbance(const measure::State& state) {
  if (!state.disturbed) return "";
  const long percent = std::lround(100 * std::max(state.foreign_cpu, state.steal));
  return " Meanwhile other programs took " + std::to_string(percent) +
         " % of the CPU: measure again on an idle machine.";
}

}  // namespace sonde::workloads
