#pragma once

#include "gpu/device.hpp"
#include "measure/probe.hpp"
#include "workloads/arithmetic.hpp"

namespace sonde::workloads {

/// Multiply-adds of fp32 without a pause for so long, by the device's clock: in Gop/s a value for each dispatch, the
/// launches included. Every dispatch is proved.
measure::Workload sustained_arithmetic(gpu::Device& device, const ArithmeticShape& shape, gpu::Nanoseconds duration,
                                       std::uint64_t seed);

}  // namespace sonde::workloads
