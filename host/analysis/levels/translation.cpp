#include "analysis/levels/translation.hpp"

#include <algorithm>
#include <cmath>

namespace sonde::analysis {
namespace {

/// A walk with one line a page is held against as many lines, packed, which share pages. Lines of different pages meet
/// in the same sets by chance, which packed ones do not: a cache begins to miss at two thirds of its size, one of few
/// ways at two fifths, so so many more packed lines are looked up.
constexpr double early_misses = 1.5;
constexpr double earliest_misses = 2.5;
/// Of a rise, what those before and after it are where it stands by itself.
constexpr double small_beside = 0.25;

double interpolated(const std::vector<double>& x, const std::vector<double>& y, double at) {
  if (x.empty()) return 0;
  if (at <= x.front()) return y.front();
  if (at >= x.back()) return y.back();
  const auto above = static_cast<std::size_t>(std::ranges::upper_bound(x, at) - x.begin());
  const double fraction = (at - x[above - 1]) / (x[above] - x[above - 1]);
  return y[above - 1] + fraction * (y[above] - y[above - 1]);
}

/// What is still within reach of a walk in random order serves its share of the loads. A cycle with one line a page
/// misses before a table is full, where sets of it are: of a rise over several spans each part counts from where it is
/// done. One that is done from one span to the next is a table's that keeps the newest, and lies between them.
double added_to_a_random_walk_ns(const TranslationEdge& edge, double bytes) {
  const std::size_t spans = edge.log2_spans.size();
  const auto rise = [&](std::size_t i) {
    return i == 0 || i >= spans ? 0 : edge.added_ns_at[i] - edge.added_ns_at[i - 1];
  };
  double added = 0;
  for (std::size_t i = 1; i < spans; ++i) {
    const bool by_itself = std::max(rise(i - 1), rise(i + 1)) < small_beside * rise(i);
    const double reach = by_itself ? (edge.log2_spans[i - 1] + edge.log2_spans[i]) / 2 : edge.log2_spans[i];
    added += rise(i) * std::max(0.0, 1 - std::exp2(reach) / bytes);
  }
  return added;
}

std::vector<CurvePoint> lowered(const std::vector<CurvePoint>& curve, const std::vector<TranslationEdge>& edges) {
  std::vector<CurvePoint> result = curve;
  for (CurvePoint& point : result) {
    const double median = point.values.empty() ? 0 : summarize(point.values).median;
    double added = 0;
    for (const TranslationEdge& edge : edges) added += added_to_a_random_walk_ns(edge, point.bytes);
    added = std::min(added, 0.8 * median);
    for (double& value : point.values) value = std::max(value - added, 0.05 * median);
  }
  return result;
}

}  // namespace

std::vector<TranslationEdge> translation_edges(const LatencyCurves& curves, const LeastEdge& least) {
  std::vector<TranslationEdge> edges;
  if (curves.page.size() < 2) return edges;
  std::vector<double> sizes;
  std::vector<double> latencies;
  for (const CurvePoint& point : curves.cycle) {
    sizes.push_back(std::log2(point.bytes));
    latencies.push_back(summarize(point.values).median);
  }
  std::vector<double> spans;
  std::vector<double> added;
  std::vector<double> certain;
  std::vector<double> noise;
  for (const CurvePoint& point : curves.page) {
    const Summary values = summarize(point.values);
    const auto beyond_packed = [&](double factor) {
      const double packed_log2 = std::log2(factor * point.bytes * curves.line_bytes / curves.page_bytes);
      return std::max(0.0, values.median - interpolated(sizes, latencies, packed_log2));
    };
    spans.push_back(std::log2(point.bytes));
    added.push_back(beyond_packed(early_misses));
    certain.push_back(beyond_packed(earliest_misses));
    noise.push_back((values.upper_quartile - values.lower_quartile) / 2);
  }
  // One disturbed point is no edge, and a larger span never translates faster.
  std::vector<double> smooth = added;
  for (std::size_t i = 1; i + 1 < added.size(); ++i)
    smooth[i] = quantile(std::vector{added[i - 1], added[i], added[i + 1]}, 0.5);
  for (std::size_t i = 1; i < added.size(); ++i) smooth[i] = std::max(smooth[i], smooth[i - 1]);
  added = smooth;
  // Runs of points over which the cost rises, each one edge.
  const double typical_noise = quantile(noise, 0.5);
  for (std::size_t i = 0; i + 1 < added.size();) {
    std::size_t end = i + 1;
    const double base = added[i] + summarize(curves.page[i].values).median;
    const auto rises = [&](std::size_t at) { return added[at] - added[at - 1] > 0.25 * least.rise * base; };
    while (end < added.size() && rises(end)) ++end;
    const double rise = added[end - 1] - added[i];
    // Beside what a load takes at this span anyway, or nobody can see it in the curve.
    const double beside = interpolated(sizes, latencies, spans[end - 1]);
    // Somewhere on the way up no cache of few ways may explain it.
    const double sure = *std::ranges::max_element(certain.begin() + static_cast<std::ptrdiff_t>(i),
                                                  certain.begin() + static_cast<std::ptrdiff_t>(end));
    if (rise > least.rise * std::max(base, beside) && rise > least.over_noise * typical_noise && sure > rise / 2) {
      std::size_t half = i + 1;
      while (added[half] < added[i] + rise / 2) ++half;
      const double share = (added[i] + rise / 2 - added[half - 1]) / (added[half] - added[half - 1]);
      const double reach = spans[half - 1] + share * (spans[half] - spans[half - 1]);
      edges.push_back({.bytes = std::exp2(spans[i]),
                       .added_ns = rise,
                       .reach_bytes = std::exp2(reach),
                       .log2_spans = {},
                       .added_ns_at = {}});
      for (std::size_t at = i; at < end; ++at) {
        edges.back().log2_spans.push_back(spans[at]);
        edges.back().added_ns_at.push_back(added[at] - added[i]);
      }
    }
    i = std::max(end - 1, i + 1);
  }
  return edges;
}

double added_ns_at(const TranslationEdge& edge, double bytes) {
  return interpolated(edge.log2_spans, edge.added_ns_at, std::log2(bytes));
}

LatencyCurves without_translation(const LatencyCurves& curves, const std::vector<TranslationEdge>& edges) {
  LatencyCurves result = curves;
  result.cycle = lowered(curves.cycle, edges);
  result.independent = lowered(curves.independent, edges);
  return result;
}

}  // namespace sonde::analysis
