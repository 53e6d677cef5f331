#pragma once

#include <volk.h>

#include <cstdint>
#include <string>
#include <vector>

#include "device/vulkan/handle.hpp"

namespace sonde::device::vulkan {

/// A queue family through which data can be copied.
struct CopyFamily {
  std::uint32_t index = 0;
  std::uint32_t queues = 1;  ///< that a device of ours has: never more than 8
  std::uint32_t timestamp_bits = 0;
  bool only_transfers = false;
  std::string name;  ///< "queue family 1 (transfer)"
};

/// Those of this device that copy for everybody: not what video or other fixed-function hardware has for itself.
std::vector<CopyFamily> copy_families(VkPhysicalDevice physical);

}  // namespace sonde::device::vulkan
