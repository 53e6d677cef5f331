#pragma once

#include <volk.h>

#include <string>

#include "device/device.hpp"

namespace sonde::device::vulkan {

/// What the driver states about one physical device, its buffers reached by address or by descriptor.
DeviceInfo describe(VkPhysicalDevice device, bool addresses);

bool has_extension(VkPhysicalDevice device, const std::string& extension);
bool has_buffer_addresses(VkPhysicalDevice device);

/// Which numbers shaders can compute with, beside those of 32 bits.
struct NumberFeatures {
  bool float64 = false;
  bool float16 = false;
  bool int64 = false;
  bool int16 = false;
  bool int8 = false;
  bool dot4 = false;  ///< dot products of four packed bytes, by VK_KHR_shader_integer_dot_product
};
NumberFeatures number_features(VkPhysicalDevice device);
/// Whether shaders can read the counter of the core that runs them: VK_KHR_shader_clock with shaderSubgroupClock.
bool has_core_clock(VkPhysicalDevice device);

/// Of the uniform block that shaders declare: what nearly every driver allows, though Vulkan asks for 16 KiB only.
inline constexpr std::uint64_t uniform_block_bytes = 65536;

}  // namespace sonde::device::vulkan
