#pragma once

#include <span>

#include "probes/probe.hpp"

namespace sonde::probes {

/// What copies tell of a device: latency and bandwidth of every way to copy, engines, overlap with kernels.
Conclusion copy_findings(std::span<const Measurement> measurements);

}  // namespace sonde::probes
