#pragma once

#include <volk.h>

#include <string>
#include <vector>

#include "device/device_info.hpp"

namespace sonde::device::vulkan {

/// Every type of memory that a buffer may have, by its flags, and memory of the program that is imported. First the one
/// that holds buffers which name none.
std::vector<MemoryKind> memory_kinds(VkPhysicalDevice physical);

/// The flags that such a name joins; zero for "imported-host".
VkMemoryPropertyFlags flags_of(const MemoryKind& kind);

}  // namespace sonde::device::vulkan
