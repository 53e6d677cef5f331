#pragma once

#include "device/device.hpp"
#include "probes/probe.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::probes {

/// Dispatches of the reading kernel that make no trip; a step is one of them, its value the us that it takes by the
/// device's clock. Every item's sum of nothing is looked at.
Workload empty_dispatch(device::Device& device, const workloads::Shape& shape);

}  // namespace sonde::probes
