#pragma once

#include <memory>

#include "device/device.hpp"
#include "device/model/description.hpp"

namespace sonde::device::model {

/// What the simulated device states about itself.
[[nodiscard]] DeviceInfo describe(const Description& description);

/// A simulated GPU that runs the reference kernels on real buffer contents, through caches that know the
/// answer; the same description gives the same times. Throws Error for a description without levels.
[[nodiscard]] std::unique_ptr<Device> open(const Description& description);

}  // namespace sonde::device::model
