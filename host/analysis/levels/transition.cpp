#include "analysis/levels/transition.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sonde::analysis {
namespace {

/// A curve turns up where it climbs by this share of the step per doubling, looked at over so many doublings.
constexpr double turn_slope = 0.15;
constexpr double turn_window_octaves = 0.15;
/// A cycle that does so much of a step over so little of a size does it at a cache's end: where each set takes the same
/// lines, all of them overflow together.
constexpr double sharp_share = 0.5;
constexpr double sharp_ratio = 1.15;
constexpr std::size_t least_points_for_a_scatter = 5;
/// A point has left its level when it lies so many standard deviations above it.
constexpr double scatters = 3;
/// A point that lies so many more above it is seen to have left, whatever its own scatter; a step's end is seen anyway.
constexpr double surely_seen = 2;
constexpr double end_of_a_step = 0.9;

/// How far the points that one level nearly alone serves lie from it: their median distance as a standard deviation,
/// relative. 0 where there are few.
double scatter_of_plateau(const LatencyCurves& curves, const FittedHierarchy& fitted, std::size_t level) {
  std::vector<double> distances;
  for (const CurvePoint& point : curves.cycle) {
    const double at = std::log2(point.bytes);
    if (cyclic_share(fitted, level, at) < served_nearly_alone) continue;
    distances.push_back(std::abs(median_of(point) / level_ns(fitted, level, at) - 1));
  }
  return distances.size() < least_points_for_a_scatter ? 0 : quantile(distances, 0.5) / 0.6745;
}

}  // namespace

Crossing crossing(const LatencyCurves& curves, const FittedHierarchy& fitted, std::size_t level, double share) {
  const double low_ns = std::exp(fitted.log_ns[level]);
  const double high_ns = std::exp(fitted.log_ns[level + 1]);
  const double from = level == 0 ? -1e9 : fitted.log2_bytes[level - 1];
  const double to = level + 1 < fitted.log2_bytes.size() ? fitted.log2_bytes[level + 1] : 1e9;
  const double middle = fitted.log2_bytes[level];
  // From the middle of the transition outwards: an onset is the last point below the share, an end the first above,
  // so a single disturbed point far away does not move it.
  const double noise = scatters * scatter_of_plateau(curves, fitted, level);
  const auto reached = [&](const CurvePoint& point, double wanted) {
    // The drift of the level itself is not the step, nor is what its points scatter by.
    const double octaves = level == 0 ? 0 : std::max(0.0, std::log2(point.bytes) - fitted.log2_bytes[level - 1]);
    const double base = low_ns * (1 + std::max(0.0, fitted.drift[level]) * octaves);
    const double step = std::max(high_ns - base, 0.02 * base);
    return median_of(point) - base >= std::max(wanted * step, std::min(noise * base, 0.5 * step));
  };
  std::vector<const CurvePoint*> window;
  for (const CurvePoint& point : curves.cycle) {
    const double at = std::log2(point.bytes);
    if (at > (from + middle) / 2 && at < (middle + to) / 2) window.push_back(&point);
  }
  // One disturbed point is not half a step: the next has to agree.
  const auto past_the_middle = [&](std::size_t index) {
    return reached(*window[index], 0.5) && (index + 1 >= window.size() || reached(*window[index + 1], 0.5));
  };
  std::size_t at = 0;
  while (at < window.size() && std::log2(window[at]->bytes) < middle) ++at;
  while (at > 0 && at < window.size() && past_the_middle(at) && past_the_middle(at - 1)) --at;
  while (at < window.size() && !past_the_middle(at)) ++at;
  while (at < window.size() && at > 0 && reached(*window[at - 1], share)) --at;
  while (at < window.size() && !reached(*window[at], share)) ++at;
  if (at < window.size()) return {.below = window[at > 0 ? at - 1 : at]->bytes, .above = window[at]->bytes};
  // Not reached before the next transition takes over: at the end of what was looked at.
  const double last = window.empty() ? std::exp2(middle) : window.back()->bytes;
  return {.below = last, .above = last};
}

double share_that_shows(const LatencyCurves& curves, const FittedHierarchy& fitted, std::size_t cache, double share) {
  const double base = level_ns(fitted, cache, fitted.log2_bytes[cache]);
  const double step = std::max(level_ns(fitted, cache + 1, fitted.log2_bytes[cache]) - base, 0.02 * base);
  const double scatter = scatter_of_plateau(curves, fitted, cache) * base / step;
  const double asked = std::max(share, std::min(scatters * scatter, 0.5));
  return asked > share ? std::min(asked + surely_seen * scatter, end_of_a_step) : share;
}

std::optional<double> sharp_end(const LatencyCurves& curves, const FittedHierarchy& fitted, std::size_t level) {
  const double from = crossing(curves, fitted, level, 0.5).below;
  const double to = crossing(curves, fitted, level, 0.9).above;
  if (to <= from || to > sharp_ratio * from) return std::nullopt;
  const auto ns_at = [&](double bytes) {
    return median_of(*std::ranges::find(curves.cycle, bytes, &CurvePoint::bytes));
  };
  const double step = std::exp(fitted.log_ns[level + 1]) - std::exp(fitted.log_ns[level]);
  return ns_at(to) - ns_at(from) >= sharp_share * step ? std::optional(from) : std::nullopt;
}

Crossing turn_up(const LatencyCurves& curves, const FittedHierarchy& fitted, std::size_t level,
                 const Crossing& middle) {
  const std::vector<CurvePoint>& cycle = curves.cycle;
  const double step = std::exp(fitted.log_ns[level + 1]) - std::exp(fitted.log_ns[level]);
  std::size_t above = 0;
  while (above + 1 < cycle.size() && cycle[above].bytes < middle.above) ++above;
  const auto steep = [&](std::size_t at) {
    std::size_t from = at;
    while (from > 0 && std::log2(cycle[at].bytes / cycle[from].bytes) < turn_window_octaves) --from;
    const double octaves = std::max(std::log2(cycle[at].bytes / cycle[from].bytes), 0.02);
    return median_of(cycle[at]) - median_of(cycle[from]) > turn_slope * step * octaves;
  };
  while (above > 1 && steep(above - 1)) --above;
  return {.below = cycle[above > 0 ? above - 1 : 0].bytes, .above = cycle[above].bytes};
}

}  // namespace sonde::analysis
