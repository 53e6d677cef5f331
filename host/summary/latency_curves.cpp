#include "summary/latency_curves.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/statistics.hpp"
#include "records/device_record.hpp"

namespace sonde::summary {

using workloads::Fabric;
using workloads::Path;

std::vector<LatencyCurve> latency_curves(const View& view, const std::string& device, Path path, Fabric fabric) {
  std::vector<LatencyCurve> curves;
  for (const device::Api api : {device::Api::opencl, device::Api::vulkan, device::Api::model}) {
    LatencyCurve curve{.api = api, .points = {}};
    for (const auto& [series, samples] : view.of(device, api, "latency").samples) {
      if (series.contains("order")) continue;  // the cycle is the default
      if (workloads::path_of(series) != path || workloads::fabric_of(series) != fabric) continue;
      curve.points.merge(by_size(samples, "ns"));
    }
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

std::vector<LatencyCurve> main_latency_curves(const View& view, const std::string& device) {
  const std::vector<LatencyCurve> awake = latency_curves(view, device, Path::vector, Fabric::loaded);
  std::vector<LatencyCurve> curves = latency_curves(view, device, Path::vector);
  for (LatencyCurve& curve : curves) {
    const LatencyCurve* kept_awake = through(awake, curve.api);
    if (kept_awake == nullptr) continue;
    for (const auto& [bytes, measurement] : kept_awake->points) {
      std::erase_if(curve.points, [size = bytes](const auto& point) { return is_near(point.first, size); });
      curve.points[bytes] = measurement;
    }
  }
  return curves;
}

const LatencyCurve* through(const std::vector<LatencyCurve>& curves, device::Api api) {
  const auto found = std::ranges::find(curves, api, &LatencyCurve::api);
  return found == curves.end() ? nullptr : &*found;
}

std::string latency_cell(const measure::Measurement* measurement) {
  if (measurement == nullptr) return "";
  const analysis::Summary values = analysis::summarize(measurement->values);
  const double spread = (values.upper_quartile - values.lower_quartile) / 2;
  const int digits = values.median < 100 ? 2 : 1;
  return marked(fmt::format("{:.{}f} ± {:.{}f}", values.median, digits, spread, digits), *measurement);
}

std::string latency_head(device::Api api) { return api == device::Api::model ? "ns" : records::spoken_name(api) + ", ns"; }

}  // namespace sonde::summary
