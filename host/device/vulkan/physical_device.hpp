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
bool has_buffer_addresses(VkPhysicalDevice device);
/// Whether shaders can read the counter of the core that runs them: VK_KHR_shader_clock with shaderSubgroupClock.
bool has_core_clock(VkPhysicalDevice device);
/// Whether the driver shows the compiled code of pipelines: VK_KHR_pipeline_executable_properties.
bool has_listings(VkPhysicalDevice device);

/// The number types with which shaders can compute, beside those of 32 bits.
struct NumberFeatures {
  VkBool32 float64 = VK_FALSE;
  VkBool32 float16 = VK_FALSE;
  VkBool32 int64 = VK_FALSE;
  VkBool32 int16 = VK_FALSE;
  VkBool32 int8 = VK_FALSE;
  VkBool32 dot4 = VK_FALSE;  ///< dot products of four packed bytes, by VK_KHR_shader_integer_dot_product
};
NumberFeatures number_features(VkPhysicalDevice device);

/// The properties of an extension that the driver has; `type` is the structure's own.
template <typename Properties>
Properties extension_properties(VkPhysicalDevice device, VkStructureType type) {
  Properties properties{};
  properties.sType = type;
  VkPhysicalDeviceProperties2 core{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &properties};
  vkGetPhysicalDeviceProperties2(device, &core);
  return properties;
}

/// The size of the uniform block that shaders declare: nearly every driver allows it, though Vulkan asks for 16 KiB
/// only.
inline constexpr std::uint64_t uniform_block_bytes = 65536;

}  // namespace sonde::device::vulkan
