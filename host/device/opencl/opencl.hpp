#pragma once

#include "device/device.hpp"

namespace sonde::device::opencl {

/// Every OpenCL device of this machine, in the order of the platforms. Throws Unsupported with what to install
/// when there is no loader or no driver.
std::vector<DeviceInfo> list();

/// How many devices without an id were in drivers' lists when this process last listed them; they are left out.
std::size_t devices_without_id();

/// Opens the device that `list` shows at this index.
std::unique_ptr<Device> open(std::size_t index);

}  // namespace sonde::device::opencl
