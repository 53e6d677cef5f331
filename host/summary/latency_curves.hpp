#pragma once

#include <string>
#include <vector>

#include "summary/view.hpp"
#include "workloads/walk/path.hpp"

namespace sonde::summary {

/// The latencies of one path through one API.
struct LatencyCurve {
  device::Api api;
  BySize points;
};

/// A curve for each API that a path was walked through, alone or beside a light stream.
std::vector<LatencyCurve> latency_curves(const View& view, const std::string& device, workloads::Path path,
                                         workloads::Fabric fabric = workloads::Fabric::idle);

/// The vector path of each API, with memory kept awake at the sizes where that was measured.
std::vector<LatencyCurve> main_latency_curves(const View& view, const std::string& device);

/// The curve through this API; null where there is none.
const LatencyCurve* through(const std::vector<LatencyCurve>& curves, device::Api api);

/// Median and half the quartile range; empty for null.
std::string latency_cell(const measure::Measurement* measurement);

/// A column's head: "Vulkan, ns".
std::string latency_head(device::Api api);

}  // namespace sonde::summary
