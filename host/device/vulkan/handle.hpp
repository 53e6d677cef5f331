#pragma once

#include <volk.h>

#include <atomic>
#include <utility>

namespace sonde::device::vulkan {

/// Throws Error, or Lost where the device is, with the call's and the result's name and what to do.
void check(VkResult result, const char* call);
/// Checks an allocation, which the driver may refuse: throws Unsupported when memory ran out.
void check_room(VkResult result, const char* call);
/// Checks a wait for work of the device. Throws Lost whatever the result, as nobody knows what still runs.
void check_wait(VkResult result, const char* call);

/// Whether the device was lost while it may have been at work: destroying objects that such work uses crashes drivers.
inline std::atomic<bool> is_abandoned = false;

/// Owns one object of a VkDevice. `Destroy` points to volk's function pointer, which is known only once a device has
/// been loaded.
template <typename Raw, auto* Destroy>
class Handle {
 public:
  Handle() = default;
  Handle(VkDevice device, Raw raw) : device_(device), raw_(raw) {}
  Handle(Handle&& other) noexcept : device_(other.device_), raw_(std::exchange(other.raw_, Raw{VK_NULL_HANDLE})) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(raw_, other.raw_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (raw_ != Raw{VK_NULL_HANDLE} && !is_abandoned) (*Destroy)(device_, raw_, nullptr);
  }

  /// Creates the object by one of Vulkan's functions; `call` is its name. Throws as check() does.
  template <typename Create, typename Info>
  static Handle create(VkDevice device, Create function, const Info& info, const char* call) {
    Raw raw = VK_NULL_HANDLE;
    check(function(device, &info, nullptr, &raw), call);
    return {device, raw};
  }

  /// The object by reference, as some calls want its address.
  const Raw& get() const { return raw_; }

 private:
  VkDevice device_ = VK_NULL_HANDLE;
  Raw raw_ = VK_NULL_HANDLE;
};

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
