#pragma once

#include <string>

#include "device/device.hpp"
#include "measure/probe.hpp"
#include "probes/catalog.hpp"

namespace sonde::test {

inline measure::Point point_of(double bytes, const std::string& path = "vector") {
  return {.series = {{"path", path}, {"memory", "device"}}, .x = {{"bytes", bytes}}, .expected_seconds = 1};
}

/// The latency probe's walk over so many bytes.
inline measure::Workload walk_over(device::Device& device, double bytes) {
  return probes::latency.prepare(device, point_of(bytes), {.seed = 7});
}

}  // namespace sonde::test
