#include "analysis/levels/disturbed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <span>

namespace sonde::analysis {
namespace {

/// The stretches between neighbours of these sizes, sorted, in which one of `left_out` lies.
std::vector<SizeRange> stretches(const std::vector<CurvePoint>& kept, const std::vector<double>& left_out) {
  std::vector<SizeRange> found;
  double before = 0;
  const auto add = [&](double next) {
    const SizeRange one{before, next};
    if (std::ranges::any_of(left_out, [&](double bytes) { return one.holds(bytes); })) found.push_back(one);
    before = next;
  };
  for (const CurvePoint& point : kept) add(point.bytes);
  add(std::numeric_limits<double>::infinity());
  return found;
}

constexpr double tolerated_smt_interference = 0.3;  // share of the values

bool is_beside(const CurvePoint& point) { return point.smt_interference > tolerated_smt_interference; }

/// Somewhat more than the distance of two sizes that are measured first.
constexpr double near_ratio = 1.25;

constexpr double sides_agree = 1.1;
constexpr double widest_peak = 2;

/// Whether points[first] to points[last] stand out from the points before and after them.
bool stand_out(const std::vector<CurvePoint>& points, std::size_t first, std::size_t last) {
  const double before = median_of(points[first - 1]);
  const double after = median_of(points[last + 1]);
  const double higher = std::max(before, after);
  const double lower = std::min(before, after);
  if (lower <= 0 || higher > sides_agree * lower) return false;
  return std::ranges::all_of(std::span(points).subspan(first, last - first + 1),
                             [&](const CurvePoint& point) { return median_of(point) > least_peak * higher; });
}

/// The last point of a peak that begins at `first`; `first - 1` where none does.
std::size_t end_of_peak(const std::vector<CurvePoint>& points, std::size_t first) {
  for (std::size_t last = first; last + 1 < points.size(); ++last) {
    if (points[last + 1].bytes > widest_peak * points[first - 1].bytes) break;
    if (stand_out(points, first, last)) return last;
  }
  return first - 1;
}

}  // namespace

std::vector<CurvePoint> without_smt_interference(std::vector<CurvePoint> points) {
  std::vector<double> alone;
  for (const CurvePoint& point : points) {
    if (!is_beside(point)) alone.push_back(point.bytes);
  }
  std::erase_if(points, [&](const CurvePoint& point) {
    if (!is_beside(point)) return false;
    const auto near = [&](double from, double to) {
      return std::ranges::any_of(alone, [&](double bytes) { return bytes > from && bytes < to; });
    };
    return near(point.bytes / near_ratio, point.bytes) && near(point.bytes, point.bytes * near_ratio);
  });
  return points;
}

std::vector<CurvePoint> without_peaks(const std::vector<CurvePoint>& points) {
  std::vector<CurvePoint> kept;
  for (std::size_t next = 0; next < points.size();) {
    if (next > 0 && end_of_peak(points, next) >= next) {
      next = end_of_peak(points, next) + 1;
    } else {
      kept.push_back(points[next++]);
    }
  }
  return kept;
}

LatencyCurves undisturbed(LatencyCurves curves) {
  std::vector<double> left_out = curves.left_out_bytes;
  for (const CurvePoint& point : curves.cycle) {
    if (is_beside(point)) left_out.push_back(point.bytes);
  }
  const auto first = std::ranges::find_if_not(curves.cycle, is_beside);
  const std::vector<CurvePoint> before(curves.cycle.begin(), first);
  if (!before.empty()) curves.nearer_ns = std::ranges::min(before | std::views::transform(median_of));
  for (std::vector<CurvePoint>* curve : {&curves.cycle, &curves.independent, &curves.page})
    std::erase_if(*curve, is_beside);
  curves.disturbed = stretches(curves.cycle, left_out);
  return curves;
}

void reach_over_disturbed(Hierarchy& hierarchy, const LatencyCurves& curves, const curve::Constants& constants) {
  if (hierarchy.levels.empty() || curves.disturbed.empty()) return;
  const Level& front = hierarchy.levels.front();
  if (curves.nearer_ns > 0 && curves.nearer_ns * constants.least_step < front.latency_ns.value) {
    hierarchy.nearer_levels = 1;
  }
  for (Level& level : hierarchy.levels) {
    if (!level.bytes) continue;
    Bracket& bytes = *level.bytes;
    const Bracket seen = bytes;
    for (const SizeRange& stretch : curves.disturbed) {
      const bool is_inside = stretch.low > 0 && std::isfinite(stretch.high);
      if (!is_inside || stretch.low >= seen.high || stretch.high <= seen.low) continue;
      level.ends_disturbed = true;
      bytes.low = std::min(bytes.low, stretch.low);
      bytes.high = std::max(bytes.high, stretch.high);
    }
  }
  Level& last = hierarchy.levels.back();
  if (!last.bytes) last.ends_disturbed = !std::isfinite(curves.disturbed.back().high);
}

}  // namespace sonde::analysis
