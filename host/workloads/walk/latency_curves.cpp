#include "workloads/walk/latency_curves.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "analysis/levels/levels.hpp"
#include "workloads/walk/page_walks.hpp"

namespace sonde::workloads {

analysis::LatencyCurves curves_of(std::span<const measure::Measurement> measurements, Path path,
                                  const measure::Request& request, Fabric fabric) {
  analysis::LatencyCurves curves;
  curves.line_bytes = request.line_bytes;
  curves.page_bytes = request.page_bytes;
  std::map<std::string, std::map<double, analysis::CurvePoint>> by_order;
  for (const measure::Measurement& one : measurements) {
    if (one.unit != "ns" || !one.point.x.contains("bytes") || path_of(one.point.series) != path) continue;
    if (fabric_of(one.point.series) != fabric) continue;
    const auto order = one.point.series.find("order");
    const double bytes = one.point.x.at("bytes");
    if (one.point.series.contains("stride")) {
      const double stride_bytes = stride_bytes_of(one.point.series, request.page_bytes);
      curves.strides.push_back({stride_bytes, std::round(bytes / stride_bytes), one.values});
      continue;
    }
    analysis::CurvePoint& point = by_order[order == one.point.series.end() ? "cycle" : order->second][bytes];
    point.bytes = bytes;
    point.values.insert(point.values.end(), one.values.begin(), one.values.end());
    point.settling = std::max(point.settling, one.state.laps_settling);
    point.smt_interference = std::max(point.smt_interference, one.state.smt_interference);
  }
  const auto curve = [&](const char* order) {
    std::vector<analysis::CurvePoint> points;
    for (const auto& [bytes, point] : by_order[order]) points.push_back(point);
    return points;
  };
  const std::vector<analysis::CurvePoint> cycle = curve("cycle");
  for (const analysis::CurvePoint& point : cycle) {
    curves.smt_interference += point.smt_interference / static_cast<double>(cycle.size());
  }
  curves.cycle = analysis::without_peaks(analysis::without_smt_interference(cycle));
  for (const analysis::CurvePoint& point : cycle) {
    if (std::ranges::find(curves.cycle, point.bytes, &analysis::CurvePoint::bytes) == curves.cycle.end())
      curves.left_out_bytes.push_back(point.bytes);
  }
  curves.independent = analysis::without_smt_interference(curve("independent"));
  curves.page = analysis::without_smt_interference(curve("page"));
  return curves;
}

}  // namespace sonde::workloads
