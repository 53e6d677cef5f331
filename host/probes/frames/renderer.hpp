#pragma once

#include <cstdint>

#include "device/device.hpp"
#include "measure/probe.hpp"
#include "probes/frames/passes.hpp"

namespace sonde::probes {

/// Renders a frame again and again; a step is a frame. Samples of each of its passes are proved from device memory
/// after every run. Throws device::Unsupported where the surfaces do not fit.
measure::Workload frames_of(device::Device& device, const measure::Frame& frame, const Resolution& resolution,
                            std::uint64_t seed);

}  // namespace sonde::probes
