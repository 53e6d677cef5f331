#pragma once

#include <memory>
#include <string>

#include "device/device.hpp"

namespace sonde::test {

/// Opens the device that stands for "opencl", "vulkan", "vulkan_descriptors" or "model": the CPU, which is
/// the same everywhere, or the first device where there is no driver for the CPU. SONDE_TEST_DEVICE=INDEX
/// asks for another, as the API counts them. Throws device::Unsupported where the API has no driver.
std::unique_ptr<device::Device> open_device(const std::string& how);

}  // namespace sonde::test
