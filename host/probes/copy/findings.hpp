#pragma once

#include <span>

#include "measure/probe.hpp"

namespace sonde::probes {

/// What copies tell of a device: latency and bandwidth of every way to copy, engines, overlap with kernels.
measure::Conclusion copy_findings(std::span<const measure::Measurement> measurements);

}  // namespace sonde::probes
