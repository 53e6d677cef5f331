#pragma once

#include <volk.h>

#include <string>
#include <vector>

#include "device/device.hpp"

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

/// The facts that the driver states about one physical device, its buffers reached by address or by descriptor.
DeviceInfo describe(VkPhysicalDevice device, bool addresses);

bool has_extension(VkPhysicalDevice device, const std::string& extension);

/// The features and extensions of a device that this program may enable. Their structures are chained in the
/// constructor, as they must not move afterwards; those of extensions that the driver lacks stay without a feature.
struct Features {
  VkPhysicalDeviceFeatures2 core{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDeviceVulkan12Features vulkan_1_2{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceShaderClockFeaturesKHR clock{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR};
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR listings{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
  VkPhysicalDeviceShaderIntegerDotProductFeaturesKHR dot{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES_KHR};
  std::vector<const char*> extensions;

  explicit Features(VkPhysicalDevice device);
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;
  /// Whether buffers have addresses, and shaders compute them, which takes 64 bits.
  bool has_addresses() const { return vulkan_1_2.bufferDeviceAddress != 0 && core.features.shaderInt64 != 0; }
};

/// The size of the uniform block that shaders declare: nearly every driver allows it, though Vulkan asks for 16 KiB
/// only.
inline constexpr std::uint64_t uniform_block_bytes = 65536;

}  // namespace sonde::device::vulkan
