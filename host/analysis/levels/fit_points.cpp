#include "analysis/levels/fit_points.hpp"

#include <algorithm>
#include <cmath>

namespace sonde::analysis {
namespace {

constexpr double steepness_window_octaves = 0.12;
constexpr double slowed_window_octaves = 0.5;
constexpr double tolerated_excess = 0.03;
/// What SMT interference may add, of the latency: the other thread takes a part of the caches.
constexpr double added_by_smt_interference = 0.3;

/// How much the curve changes about a point, per octave: the range of all neighbours within a window, so that a curve
/// that goes up and down is known as little as one that rises.
double steepness_at(const std::vector<FitPoint>& points, std::size_t i) {
  std::size_t from = i > 0 ? i - 1 : i;
  std::size_t to = std::min(i + 1, points.size() - 1);
  const double here = points[i].log2_bytes;
  while (from > 0 && here - points[from - 1].log2_bytes < steepness_window_octaves) --from;
  while (to + 1 < points.size() && points[to + 1].log2_bytes - here < steepness_window_octaves) ++to;
  double low = points[i].log_ns;
  double high = low;
  for (std::size_t j = from; j <= to; ++j) {
    low = std::min(low, points[j].log_ns);
    high = std::max(high, points[j].log_ns);
  }
  return (high - low) / std::max(points[to].log2_bytes - points[from].log2_bytes, 0.1);
}

/// How far a point lies above what a larger working set takes, which is what it was slowed by: a larger one is not
/// faster. The machine may change between points, so the repetitions of one do not show this.
double slowed_by(const std::vector<FitPoint>& points, std::size_t i) {
  double least = points[i].log_ns;
  for (std::size_t j = i + 1; j < points.size(); ++j) {
    if (points[j].log2_bytes - points[i].log2_bytes > slowed_window_octaves && j > i + 2) break;
    least = std::min(least, points[j].log_ns);
  }
  const double excess = points[i].log_ns - least;
  return excess > tolerated_excess ? excess : 0;
}

}  // namespace

std::vector<FitPoint> fit_points(std::span<const CurvePoint> curve, double line_bytes, const FormulaErrors& errors) {
  std::vector<FitPoint> points;
  for (const CurvePoint& point : curve) {
    const Summary values = summarize(point.values);
    if (values.count == 0 || values.median <= 0) continue;
    // Half the quartile range is 0.6745 standard deviations; the median of n has 1.2533 / sqrt(n) of one.
    const double deviation = (values.upper_quartile - values.lower_quartile) / 2 / 0.6745;
    const double error = 1.2533 * deviation / std::sqrt(static_cast<double>(values.count)) / values.median;
    const double spread = std::hypot(error, errors.settling_left_sigma * point.settling,
                                     added_by_smt_interference * point.smt_interference);
    const double settled_log_ns = std::log(values.median) - errors.settling_left * point.settling;
    points.push_back({std::log2(point.bytes), settled_log_ns, spread, spread});
  }
  std::vector<double> slowed;
  for (std::size_t i = 0; i < points.size(); ++i) slowed.push_back(slowed_by(points, i));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double steepness = steepness_at(points, i);
    const double lines = std::exp2(points[i].log2_bytes) / line_bytes;
    const double octaves = errors.octaves + errors.octaves_of_one_line / std::sqrt(std::max(1.0, lines));
    points[i].sigma = std::hypot(std::hypot(points[i].sigma, 2 * slowed[i]), errors.log_ns, octaves * steepness);
  }
  return points;
}

}  // namespace sonde::analysis
