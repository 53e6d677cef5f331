#pragma once

#include <memory>

#include "device/device.hpp"

namespace sonde::cpu {

/// What the CPU itself states, without any driver; api `cpu`.
[[nodiscard]] device::DeviceInfo describe();

/// The CPU as a device: memory of this process, and the arithmetic that settles a clock run by the calling thread. What
/// walks memory on it is native code of the probes (host/probes/cpu_walk.hpp).
[[nodiscard]] std::unique_ptr<device::Device> open();

}  // namespace sonde::cpu
