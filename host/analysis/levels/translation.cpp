#include "analysis/levels/translation.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace sonde::analysis {
namespace {

/// A walk with one line a page is compared with as many packed lines, which share pages. Lines of different pages meet
/// in the same sets by chance, which packed ones do not: a cache begins to miss at two thirds of its size, one of few
/// ways at two fifths, so the latency of that many more packed lines is taken.
constexpr double early_misses = 1.5;
constexpr double earliest_misses = 2.5;
/// A rise stands by itself where those before and after it are less than this share of it.
constexpr double small_beside = 0.25;
/// The least rise of an edge that is worth a finding, as a share of the latency before it and over half the quartile
/// range of the walk's values.
constexpr double least_rise = 0.08;
constexpr double least_over_noise = 4;

/// The latency of the cycle, in which many lines share a page, between its points.
double packed_ns(std::span<const CurvePoint> cycle, double log2_bytes) {
  const auto log2_of = [](const CurvePoint& point) { return std::log2(point.bytes); };
  const auto above = std::ranges::upper_bound(cycle, log2_bytes, {}, log2_of);
  if (cycle.empty()) return 0;
  if (above == cycle.begin()) return median_of(cycle.front());
  if (above == cycle.end()) return median_of(cycle.back());
  const CurvePoint& below = *std::prev(above);
  const double fraction = (log2_bytes - log2_of(below)) / (log2_of(*above) - log2_of(below));
  return median_of(below) + fraction * (median_of(*above) - median_of(below));
}

/// The time that a load takes beyond one among as many packed lines, at each span of pages.
struct PageCosts {
  std::vector<double> log2_spans;
  std::vector<double> added_ns;
  std::vector<double> certain_ns;  ///< the same even if the cache has few ways
  std::vector<double> noise_ns;
};

/// The costs as a curve that never falls, as a larger span never translates faster, and without single disturbed
/// points.
std::vector<double> smoothed(const std::vector<double>& added) {
  std::vector<double> smooth = running_median(added, 1);
  smooth.front() = added.front();
  smooth.back() = added.back();
  for (std::size_t i = 1; i < added.size(); ++i) smooth[i] = std::max(smooth[i], smooth[i - 1]);
  return smooth;
}

PageCosts page_costs(const LatencyCurves& curves) {
  PageCosts costs;
  for (const CurvePoint& point : curves.page) {
    const Summary values = summarize(point.values);
    const auto beyond_packed = [&](double factor) {
      const double packed_log2 = std::log2(factor * point.bytes * curves.line_bytes / curves.page_bytes);
      return std::max(0.0, values.median - packed_ns(curves.cycle, packed_log2));
    };
    costs.log2_spans.push_back(std::log2(point.bytes));
    costs.added_ns.push_back(beyond_packed(early_misses));
    costs.certain_ns.push_back(beyond_packed(earliest_misses));
    costs.noise_ns.push_back((values.upper_quartile - values.lower_quartile) / 2);
  }
  costs.added_ns = smoothed(costs.added_ns);
  return costs;
}

/// The edge that the spans from `first` up to `end` make up.
TranslationEdge edge_between(const PageCosts& costs, std::size_t first, std::size_t end) {
  const std::vector<double>& spans = costs.log2_spans;
  const std::vector<double>& added = costs.added_ns;
  const double rise = added[end - 1] - added[first];
  std::size_t half = first + 1;
  while (added[half] < added[first] + rise / 2) ++half;
  const double share = (added[first] + rise / 2 - added[half - 1]) / (added[half] - added[half - 1]);
  const double reach = spans[half - 1] + share * (spans[half] - spans[half - 1]);
  TranslationEdge edge{.bytes = std::exp2(spans[first]), .added_ns = rise, .reach_bytes = std::exp2(reach)};
  for (std::size_t at = first; at < end; ++at) {
    edge.log2_spans.push_back(spans[at]);
    edge.added_ns_at.push_back(added[at] - added[first]);
  }
  return edge;
}

/// The time that an edge adds to a load of a walk in random order, which still hits for its pages within reach. A
/// cycle with one line a page misses as soon as single sets of a table are full, before all are, so each part of a rise
/// over several spans counts from the end of that part. A rise from one span to the next is that of a table that keeps
/// the newest pages, and lies between the two.
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
    const double median = median_of(point);
    double of_tables = 0;
    double added = 0;
    for (const TranslationEdge& edge : edges) {
      (edge.is_table ? of_tables : added) += added_to_a_random_walk_ns(edge, point.bytes);
    }
    added = of_tables + std::min(added, 0.8 * std::max(0.0, median - of_tables));
    for (double& value : point.values) value = std::max(value - added, 0.05 * median);
  }
  return result;
}

}  // namespace

std::vector<TranslationEdge> translation_edges(const LatencyCurves& curves) {
  std::vector<TranslationEdge> edges;
  if (curves.page.size() < 2) return edges;
  const PageCosts costs = page_costs(curves);
  const std::vector<double>& added = costs.added_ns;
  const double typical_noise = quantile(costs.noise_ns, 0.5);
  // Each run of points over which the cost rises is one edge.
  for (std::size_t i = 0; i + 1 < added.size();) {
    std::size_t end = i + 1;
    const double base = added[i] + median_of(curves.page[i]);
    const auto rises = [&](std::size_t at) { return added[at] - added[at - 1] > 0.25 * least_rise * base; };
    while (end < added.size() && rises(end)) ++end;
    const double rise = added[end - 1] - added[i];
    // The rise has to stand out from what a load takes at this span anyway, or the curve does not show it.
    const double beside = packed_ns(curves.cycle, costs.log2_spans[end - 1]);
    // Somewhere on the way up even a cache of few ways may not explain it.
    const double sure = *std::ranges::max_element(costs.certain_ns.begin() + static_cast<std::ptrdiff_t>(i),
                                                  costs.certain_ns.begin() + static_cast<std::ptrdiff_t>(end));
    if (rise > least_rise * std::max(base, beside) && rise > least_over_noise * typical_noise && sure > rise / 2)
      edges.push_back(edge_between(costs, i, end));
    i = std::max(end - 1, i + 1);
  }
  return edges;
}

TranslationEdge edge_of(const PageTable& table) {
  // The edge is as sharp as it has to be for a walk in random order, which still hits what is within reach.
  constexpr double sharp = 1e-3;
  const double log2_reach = std::log2(table.reach_bytes());
  return {.bytes = table.reach_bytes(),
          .added_ns = table.added_ns.value,
          .reach_bytes = table.reach_bytes(),
          .log2_spans = {log2_reach - sharp, log2_reach + sharp},
          .added_ns_at = {0, table.added_ns.value},
          .is_table = true};
}

LatencyCurves without_translation(const LatencyCurves& curves, const std::vector<TranslationEdge>& edges) {
  LatencyCurves result = curves;
  result.cycle = lowered(curves.cycle, edges);
  result.independent = lowered(curves.independent, edges);
  result.visits = lowered(curves.visits, edges);
  return result;
}

}  // namespace sonde::analysis
