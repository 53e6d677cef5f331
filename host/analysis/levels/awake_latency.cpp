#include "analysis/levels/levels.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace sonde::analysis {
namespace {

constexpr double room_for_both = 2.1;
/// This far beyond a cache, what random replacement leaves of the working set no longer counts.
constexpr double far_beyond = 4;
/// Fewer points than these lie at the edges of the caches around them and show only chance in the placement of lines.
constexpr std::size_t least_points_of_a_cache = 3;

/// The latency at a size by its neighbours, on logarithmic scales; nothing beyond the curve's ends.
std::optional<double> interpolated(std::span<const CurvePoint> curve, double bytes) {
  const auto above = std::ranges::lower_bound(curve, bytes, {}, &CurvePoint::bytes);
  if (above == curve.end()) return std::nullopt;
  if (above->bytes == bytes) return median_of(*above);
  if (above == curve.begin()) return std::nullopt;
  const CurvePoint& below = *std::prev(above);
  const double share = std::log(bytes / below.bytes) / std::log(above->bytes / below.bytes);
  return std::exp(std::lerp(std::log(median_of(below)), std::log(median_of(*above)), share));
}

/// The ratios of awake to asleep latency at the sizes of a range.
std::vector<double> ratios(std::span<const CurvePoint> asleep, std::span<const CurvePoint> awake,
                           const SizeRange& range) {
  std::vector<double> found;
  for (const CurvePoint& point : awake) {
    if (!range.holds(point.bytes) || point.values.empty()) continue;
    const std::optional<double> lone = interpolated(asleep, point.bytes);
    if (lone && *lone > 0) found.push_back(median_of(point) / *lone);
  }
  return found;
}

}  // namespace

std::vector<SizeRange> room_for_walk_and_stream(std::span<const Level> levels) {
  std::vector<SizeRange> ranges;
  double left = 0;  // where the level before is gone
  for (const Level& level : levels) {
    ranges.push_back({left, level.bytes ? level.onset_bytes / room_for_both : std::numeric_limits<double>::infinity()});
    left = level.end_bytes;
  }
  return ranges;
}

std::vector<Level> awake_latency(std::vector<Level> levels, std::span<const CurvePoint> asleep,
                                 std::span<const CurvePoint> awake) {
  const std::vector<SizeRange> ranges = room_for_walk_and_stream(levels);
  double last_cache = 0;
  for (std::size_t index = 0; index < levels.size(); ++index) {
    Level& level = levels[index];
    const SizeRange& range = ranges[index];
    std::vector<double> found = ratios(asleep, awake, range);
    if (level.bytes) {
      if (found.size() < least_points_of_a_cache) found.clear();
      last_cache = level.bytes->value;
    } else {
      const std::vector<double> far = ratios(asleep, awake, {std::max(range.low, far_beyond * last_cache), range.high});
      if (!far.empty()) found = far;
    }
    if (found.empty()) continue;
    const Summary ratio = summarize(found);
    level.latency_ns = {level.latency_ns.low * ratio.lower_quartile, level.latency_ns.value * ratio.median,
                        level.latency_ns.high * ratio.upper_quartile};
  }
  return levels;
}

}  // namespace sonde::analysis
