#include "analysis/translation.hpp"

#include <algorithm>
#include <cmath>

namespace sonde::analysis {
namespace {

/// A rise below this share of the latency before it is not worth a finding.
constexpr double least_rise = 0.08;

double interpolated(const std::vector<double>& x, const std::vector<double>& y, double at) {
  if (x.empty()) return 0;
  if (at <= x.front()) return y.front();
  if (at >= x.back()) return y.back();
  const auto above = static_cast<std::size_t>(std::ranges::upper_bound(x, at) - x.begin());
  const double fraction = (at - x[above - 1]) / (x[above] - x[above - 1]);
  return y[above - 1] + fraction * (y[above] - y[above - 1]);
}

std::vector<CurvePoint> lowered(const std::vector<CurvePoint>& curve, const TranslationCost& cost) {
  std::vector<CurvePoint> result = curve;
  for (CurvePoint& point : result) {
    const double median = point.values.empty() ? 0 : summarize(point.values).median;
    const double added = std::min(interpolated(cost.log2_bytes, cost.added_ns, std::log2(point.bytes)), 0.8 * median);
    for (double& value : point.values) value = std::max(value - added, 0.05 * median);
  }
  return result;
}

}  // namespace

TranslationCost translation_cost(const LatencyCurves& curves) {
  TranslationCost cost;
  if (curves.page.size() < 2) return cost;
  std::vector<double> sizes;
  std::vector<double> latencies;
  for (const CurvePoint& point : curves.cycle) {
    sizes.push_back(std::log2(point.bytes));
    latencies.push_back(summarize(point.values).median);
  }
  std::vector<double> noise;
  double highest = 0;
  for (const CurvePoint& point : curves.page) {
    const Summary values = summarize(point.values);
    // As many lines, packed: they share pages. Lines of different pages meet in the same sets by chance, which packed
    // ones do not: a cache begins to miss at two thirds of its size, so half as many again are looked up.
    const double packed_log2 = std::log2(1.5 * point.bytes * curves.line_bytes / curves.page_bytes);
    const double added = values.median - interpolated(sizes, latencies, packed_log2);
    // A larger span never translates faster; a fall is noise.
    highest = std::max(highest, added);
    cost.log2_bytes.push_back(std::log2(point.bytes));
    cost.added_ns.push_back(std::max(0.0, highest));
    noise.push_back((values.upper_quartile - values.lower_quartile) / 2);
  }
  // Runs of points over which the cost rises, each one edge.
  const double typical_noise = quantile(noise, 0.5);
  for (std::size_t i = 0; i + 1 < cost.added_ns.size();) {
    std::size_t end = i + 1;
    const double base = cost.added_ns[i] + summarize(curves.page[i].values).median;
    const auto rises = [&](std::size_t at) { return cost.added_ns[at] - cost.added_ns[at - 1] > 0.25 * least_rise * base; };
    while (end < cost.added_ns.size() && rises(end)) ++end;
    const double rise = cost.added_ns[end - 1] - cost.added_ns[i];
    // Beside what a load takes at this span anyway, or nobody can see it in the curve.
    const double beside = interpolated(sizes, latencies, cost.log2_bytes[end - 1]);
    if (rise > least_rise * std::max(base, beside) && rise > 4 * typical_noise) {
      cost.edges.push_back({.bytes = std::exp2(cost.log2_bytes[i]), .added_ns = rise});
    }
    i = std::max(end - 1, i + 1);
  }
  // What is no edge is noise, or the formula's; it must not bend the curves.
  if (cost.edges.empty()) std::ranges::fill(cost.added_ns, 0.0);
  return cost;
}

LatencyCurves without_translation(const LatencyCurves& curves, const TranslationCost& cost) {
  if (cost.edges.empty()) return curves;
  LatencyCurves result = curves;
  result.cycle = lowered(curves.cycle, cost);
  result.independent = lowered(curves.independent, cost);
  return result;
}

}  // namespace sonde::analysis
