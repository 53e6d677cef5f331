#pragma once

#include <volk.h>

#include <vector>

namespace sonde::device::vulkan {

/// The loader and one instance of it. Throws Unsupported with what to install when there is no loader or driver.
class Instance {
 public:
  Instance();
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// Every physical device with Vulkan 1.2, in the loader's order.
  std::vector<VkPhysicalDevice> physical_devices() const;

 private:
  VkInstance instance_ = VK_NULL_HANDLE;
};

}  // namespace sonde::device::vulkan
