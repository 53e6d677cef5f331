#include "summary/latency_chart.hpp"

#include <algorithm>

#include "records/device_record.hpp"
#include "summary/chart.hpp"
#include "summary/latency_curves.hpp"

namespace sonde::summary {

std::string latency_chart(const std::string& device, const View& view, int columns, bool colour) {
  constexpr int rows = 14;
  constexpr int margins = 18;  // of the chart's labels, on both sides
  std::vector<ChartCurve> curves;
  std::string legend = "          ns over working set:";
  for (const LatencyCurve& curve : main_latency_curves(view, device)) {
    const bool vulkan = curve.api == device::Api::vulkan;
    ChartCurve one{.name = records::spoken_name(curve.api),
                   .sign = vulkan ? "○" : "●",
                   .colour = !colour  ? ""
                             : vulkan ? "33"
                                      : "36",
                   .points = {}};
    for (const auto& [bytes, measurement] : curve.points)
      one.points.emplace_back(bytes, measure::median_of(*measurement));
    legend += "  " + one.sign + " " + one.name;
    curves.push_back(one);
  }
  if (curves.empty()) return "";
  if (curves.size() > 1) legend += "  ◆ both";
  return "\n" + legend + "\n" + chart(curves, std::clamp(columns - margins, 20, 64), rows);
}

}  // namespace sonde::summary
