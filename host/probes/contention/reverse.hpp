#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "cpu/topology.hpp"
#include "device/device.hpp"
#include "probes/probe.hpp"

// The reverse of contention: what threads of the CPU cost the GPU.
namespace sonde::probes {

/// Whether a point is of the reverse; `load` 0 is a lone walk on the GPU, 1 its full bandwidth.
bool is_reverse(const Point& point);

/// All at once: each traffic (read, write, both), with no thread, 1, 2, 4 … and `most_threads`. `shape` is that of the
/// stream at full load.
std::vector<Point> reverse_points(const Request& request, std::uint32_t most_threads,
                                  const std::map<std::string, double>& shape);

/// Over a working set of `bytes`, while as many of the cores as the point says move memory.
/// Throws device::Unsupported where there are too few.
Workload reverse_workload(device::Device& device, const Point& point, const Request& request, std::uint64_t bytes,
                          std::span<const cpu::Core> cores);

/// `gpu-loss`, one for each traffic.
std::vector<Finding> reverse_findings(std::span<const Measurement> measurements);

}  // namespace sonde::probes
