#pragma once

#include <volk.h>

#include <atomic>
#include <memory>
#include <type_traits>

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

}  // namespace sonde::device::vulkan
