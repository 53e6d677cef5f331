#pragma once

#include <span>
#include <string>
#include <vector>

#include "probes/probe.hpp"

namespace sonde::probes {

/// In which ways this machine's memory can be walked.
struct CpuVariants {
  std::vector<std::string> kinds;  ///< of cores
  bool huge_pages = true;
  bool further_core = true;  ///< for a light stream beside the walk
};

/// Points still wanted. What cannot be had here is asked for once, so that the record says why.
std::vector<Point> cpu_latency_points(const CpuVariants& variants, const device::DeviceInfo& device,
                                      const Request& request, std::span<const Measurement> known);

}  // namespace sonde::probes
