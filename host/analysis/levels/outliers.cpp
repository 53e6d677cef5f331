#include "analysis/levels/levels.hpp"

#include <algorithm>
#include <cstddef>

namespace sonde::analysis {
namespace {

constexpr double tolerated_smt_interference = 0.3;  // share of the values
/// Somewhat more than the distance of two sizes that are measured first.
constexpr double near_ratio = 1.25;

constexpr double least_peak = 1.15;
constexpr double sides_agree = 1.1;
constexpr double widest_peak = 2;

/// Whether points[first] to points[last] stand out from the points before and after them.
bool stand_out(const std::vector<CurvePoint>& points, std::size_t first, std::size_t last) {
  const double before = median_of(points[first - 1]);
  const double after = median_of(points[last + 1]);
  const double higher = std::max(before, after);
  const double lower = std::min(before, after);
  if (lower <= 0 || higher > sides_agree * lower) return false;
  return std::all_of(points.begin() + static_cast<std::ptrdiff_t>(first),
                     points.begin() + static_cast<std::ptrdiff_t>(last) + 1,
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
  const auto beside = [](const CurvePoint& point) { return point.smt_interference > tolerated_smt_interference; };
  std::vector<double> alone;
  for (const CurvePoint& point : points) {
    if (!beside(point)) alone.push_back(point.bytes);
  }
  std::erase_if(points, [&](const CurvePoint& point) {
    if (!beside(point)) return false;
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

}  // namespace sonde::analysis
