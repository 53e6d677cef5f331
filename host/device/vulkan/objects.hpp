#pragma once

#include <volk.h>

#include <atomic>
#include <memory>
#include <type_traits>

#include "device/device.hpp"

namespace sonde::device::vulkan {

/// Throws Error, or Lost where the device is, with the call's and the result's name and what to do.
void check(VkResult result, const char* call);
/// Checks an allocation, which the driver may refuse: throws Unsupported when memory ran out.
void check_room(VkResult result, const char* call);
/// Checks a wait for work of the device. Throws Lost whatever the result, as nobody knows what still runs.
void check_wait(VkResult result, const char* call);

/// Whether the device was lost while it may have been at work: destroying objects that such work uses crashes drivers.
inline std::atomic<bool> is_abandoned = false;

/// Destroys an object of a VkDevice. `Function` points to volk's function pointer, which is known only once a device
/// has been loaded.
template <auto* Function>
struct Destroy {
  VkDevice device = VK_NULL_HANDLE;

  template <typename Object>
  void operator()(Object* object) const {
    if (!is_abandoned) (*Function)(device, object, nullptr);
  }
};

template <typename Raw, auto* Function>
using Handle = std::unique_ptr<std::remove_pointer_t<Raw>, Destroy<Function>>;

/// Creates an object by one of Vulkan's functions; `call` is its name. Throws as `checked` does.
template <typename Owner, typename Info, typename Raw = typename Owner::pointer>
Owner create(VkDevice device, VkResult (*function)(VkDevice, const Info*, const VkAllocationCallbacks*, Raw*),
             const std::type_identity_t<Info>& info, const char* call, void (*checked)(VkResult, const char*) = check) {
  Raw raw = VK_NULL_HANDLE;
  checked(function(device, &info, nullptr, &raw), call);
  return Owner(raw, {device});
}

using BufferHandle = Handle<VkBuffer, &vkDestroyBuffer>;
using BufferView = Handle<VkBufferView, &vkDestroyBufferView>;
using CommandPool = Handle<VkCommandPool, &vkDestroyCommandPool>;
using DescriptorPool = Handle<VkDescriptorPool, &vkDestroyDescriptorPool>;
using DescriptorSetLayout = Handle<VkDescriptorSetLayout, &vkDestroyDescriptorSetLayout>;
using DeviceMemory = Handle<VkDeviceMemory, &vkFreeMemory>;
using Event = Handle<VkEvent, &vkDestroyEvent>;
using Fence = Handle<VkFence, &vkDestroyFence>;
using Pipeline = Handle<VkPipeline, &vkDestroyPipeline>;
using PipelineLayout = Handle<VkPipelineLayout, &vkDestroyPipelineLayout>;
using QueryPool = Handle<VkQueryPool, &vkDestroyQueryPool>;
using Semaphore = Handle<VkSemaphore, &vkDestroySemaphore>;
using ShaderModule = Handle<VkShaderModule, &vkDestroyShaderModule>;

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
