#pragma once

#include "gpu/device.hpp"
#include "measure/probe.hpp"

namespace sonde::probes {

/// A chain of dependent arithmetic that touches no memory: its time follows the device's clock alone.
measure::Workload alu_chain(gpu::Device& device);

}  // namespace sonde::probes
