#pragma once

#include "device/device.hpp"

namespace sonde::device::vulkan {

/// Every Vulkan device of this machine. Throws Unsupported with what to install when there is no loader or driver.
std::vector<DeviceInfo> list();

/// How a kernel reaches its buffers: by 64-bit address, or by descriptor where a device has no addresses.
enum class BufferAccess { best, descriptors };

/// Opens the device that `list` shows at this index.
std::unique_ptr<Device> open(std::size_t index, BufferAccess access = BufferAccess::best);

}  // namespace sonde::device::vulkan
