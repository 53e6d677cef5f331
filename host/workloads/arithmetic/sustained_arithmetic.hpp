#pragma once

#include "device/device.hpp"
#include "measure/probe.hpp"
#include "workloads/arithmetic/arithmetic.hpp"

namespace sonde::workloads {

/// Multiply-adds of fp32 without a pause for so long, by the device's clock: in Gop/s a value for each dispatch, the
/// launches included. Every dispatch is proved.
measure::Workload sustained_arithmetic(device::Device& device, const ArithmeticShape& shape, device::Nanoseconds duration,
                                       std::uint64_t seed);

}  // namespace sonde::workloads
