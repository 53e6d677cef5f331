#include "workloads/curve_edges.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace sonde::workloads {
namespace {

using analysis::CurvePoint;

/// Slope, as a logarithm of latency per doubling, above which a curve rises; over at least this many doublings, because
/// points closer to each other differ by noise.
constexpr double rising_slope = 0.12;
constexpr double slope_octaves = 0.2;
/// Over a whole rise: less is no edge worth points.
constexpr double rise_of_an_edge = 1.10;
constexpr double bracketed = 1.03;
constexpr double bracketed_middle = 1.1;

/// Whether the curve rises over the interval from point `i` to the next, looked at widely enough.
bool rises(const std::vector<CurvePoint>& cycle, const std::vector<double>& medians, std::size_t i) {
  std::size_t from = i;
  std::size_t to = i + 1;
  const auto octaves = [&] { return std::log2(cycle[to].bytes / cycle[from].bytes); };
  while (octaves() < slope_octaves && (from > 0 || to + 1 < cycle.size())) {
    if (from > 0) --from;
    if (to + 1 < cycle.size()) ++to;
  }
  return std::log(medians[to] / medians[from]) > rising_slope * octaves();
}

}  // namespace

std::vector<Interval> edge_intervals(const std::vector<CurvePoint>& cycle, bool closely, double close_below_bytes) {
  std::vector<double> medians;
  for (const CurvePoint& one : cycle) medians.push_back(median_of(one));
  std::set<std::size_t> intervals;
  for (std::size_t i = 0; i + 1 < cycle.size();) {
    if (!rises(cycle, medians, i)) {
      ++i;
      continue;
    }
    const std::size_t first = i;
    while (i + 1 < cycle.size() && rises(cycle, medians, i)) ++i;
    const double low = medians[first];
    const double high = medians[i];
    if (high < rise_of_an_edge * low) continue;
    for (const double share : {0.05, 0.5, 0.95}) {
      const double wanted = low + share * (high - low);
      std::size_t crossing = first;
      while (crossing + 1 < i && medians[crossing + 1] < wanted) ++crossing;
      // Where a step ends is to be known; its middle needs a few points, to tell a slow climb from scattered ones.
      const bool near = closely && share != 0.5 && cycle[crossing].bytes < close_below_bytes;
      const double close = near ? bracketed : bracketed_middle;
      if (cycle[crossing + 1].bytes > close * cycle[crossing].bytes) intervals.insert(crossing);
    }
  }
  std::vector<Interval> found;
  for (const std::size_t i : intervals) found.push_back({cycle[i].bytes, cycle[i + 1].bytes});
  return found;
}

bool ends_on_a_rise(const std::vector<CurvePoint>& cycle) {
  const auto before =
      std::ranges::find_if(cycle, [&](const CurvePoint& one) { return one.bytes > cycle.back().bytes / 2.1; });
  const double octaves = std::log2(cycle.back().bytes / before->bytes);
  return octaves > 0 && std::log(median_of(cycle.back()) / median_of(*before)) > rising_slope * octaves;
}

}  // namespace sonde::workloads
