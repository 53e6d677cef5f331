#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>

#include "measure/visits.hpp"
#include "workloads/walk/latency_sweep.hpp"

namespace sonde::workloads {

using measure::Order;

namespace {

/// The values of the visits that took no longer than the middle one, or the faster of two, by a share that only others
/// explain: these slow a walk down. How far they move a cache's end between visits is read from all of them.
std::vector<std::vector<double>> undisturbed_visits(const measure::Measurement& one) {
  std::vector<double> medians = measure::medians_by_visit(one);
  std::vector<std::vector<double>> visits = measure::values_by_visit(one);
  if (medians.size() < 2) return visits;
  std::ranges::sort(medians);
  const double middle = medians[(medians.size() - 1) / 2];
  std::erase_if(visits, [&](const std::vector<double>& visit) {
    return analysis::quantile(visit, 0.5) > analysis::least_peak * middle;
  });
  return visits;
}

}  // namespace

measure::Words hierarchy_words(measure::Words words) {
  words.order.reset();
  words.stride_bytes.reset();
  words.fabric.reset();
  return words;
}

analysis::LatencyCurves curves_of(std::span<const measure::Measurement> measurements, const measure::Words& hierarchy,
                                  const measure::Request& request, measure::Fabric fabric) {
  analysis::LatencyCurves curves;
  curves.line_bytes = request.line_bytes;
  curves.page_bytes = request.page_bytes;
  if (request.of_cpu && hierarchy.pages != measure::PageSize::huge) curves.cpu_page_bytes = request.page_bytes;
  std::map<Order, std::map<double, analysis::CurvePoint>> by_order;
  double counted = 0;
  for (const measure::Measurement& one : measurements) {
    const measure::Words& words = one.point.words;
    if (one.unit != "ns" || !one.point.x.bytes || hierarchy_words(words) != hierarchy) continue;
    if (words.fabric.value_or(measure::Fabric::idle) != fabric) continue;
    const double bytes = *one.point.x.bytes;
    if (words.stride_bytes) {
      const double stride_bytes = *words.stride_bytes;
      curves.strides.push_back({stride_bytes, std::round(bytes / stride_bytes), one.values});
      continue;
    }
    analysis::CurvePoint& point = by_order[words.order.value_or(Order::cycle)][bytes];
    point.bytes = bytes;
    for (const std::vector<double>& visit : undisturbed_visits(one))
      point.values.insert(point.values.end(), visit.begin(), visit.end());
    point.settling = std::max(point.settling, one.state.laps_settling);
    point.smt_interference = std::max(point.smt_interference, one.state.smt_interference);
    if (words.order.value_or(Order::cycle) == Order::cycle && !one.state.disturbed) {
      for (std::vector<double>& visit : measure::values_by_visit(one))
        curves.visits.push_back({.bytes = bytes, .values = std::move(visit)});
    }
    curves.share_of_others += share_of_others(one.state);
    ++counted;
  }
  const auto curve = [&](Order order) {
    const auto points = std::views::values(by_order[order]);
    return std::vector<analysis::CurvePoint>(points.begin(), points.end());
  };
  curves.share_of_others /= std::max(1.0, counted);
  const std::vector<analysis::CurvePoint> cycle = curve(Order::cycle);
  for (const analysis::CurvePoint& point : cycle) {
    curves.smt_interference += point.smt_interference / static_cast<double>(cycle.size());
  }
  curves.cycle = analysis::without_peaks(analysis::without_smt_interference(cycle));
  for (const analysis::CurvePoint& point : cycle) {
    if (std::ranges::find(curves.cycle, point.bytes, &analysis::CurvePoint::bytes) == curves.cycle.end())
      curves.left_out_bytes.push_back(point.bytes);
  }
  curves.independent = analysis::without_smt_interference(curve(Order::independent));
  curves.page = analysis::without_smt_interference(curve(Order::page));
  return curves;
}

}  // namespace sonde::workloads
