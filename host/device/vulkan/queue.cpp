#include "device/vulkan/queue.hpp"

#include <utility>
#include <vector>

#include "device/error.hpp"
#include "device/vulkan/copy_families.hpp"
#include "device/vulkan/list.hpp"
#include "device/vulkan/listing.hpp"

namespace sonde::device::vulkan {
namespace {

QueueFamily compute_family(VkPhysicalDevice physical) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  for (std::uint32_t index = 0; index < count; ++index) {
    const bool computes = (families[index].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
    if (computes && families[index].timestampValidBits > 0) return {index, families[index].timestampValidBits};
  }
  throw Unsupported("no queue of this device both computes and has timestamps, so nothing can be timed by its clock");
}

/// Queues take no time of one another by being there: all that can copy are made at once.
std::vector<std::uint32_t> families_of(VkPhysicalDevice physical) {
  std::vector<std::uint32_t> indices;
  for (const CopyFamily& family : copy_families(physical)) indices.push_back(family.index);
  return indices;
}

VkDevice make_device(VkPhysicalDevice physical, bool addresses, bool has_listings) {
  const std::vector<CopyFamily> families = copy_families(physical);
  std::vector<std::vector<float>> priorities;
  std::vector<VkDeviceQueueCreateInfo> queues;
  for (const CopyFamily& family : families) {
    priorities.emplace_back(family.queues, 1.0f);
    VkDeviceQueueCreateInfo queue{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueFamilyIndex = family.index;
    queue.queueCount = family.queues;
    queue.pQueuePriorities = priorities.back().data();
    queues.push_back(queue);
  }
  std::vector<const char*> extensions;
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR listings{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
  listings.pipelineExecutableInfo = VK_TRUE;
  VkPhysicalDeviceVulkan12Features features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  features.bufferDeviceAddress = addresses ? VK_TRUE : VK_FALSE;
  // Every driver of Vulkan 1.2 has these two; copies are held, and their clocks read, by them.
  features.timelineSemaphore = VK_TRUE;
  features.hostQueryReset = VK_TRUE;
  VkPhysicalDeviceFeatures core{};
  const NumberFeatures numbers = number_features(physical);
  core.shaderFloat64 = numbers.float64 ? VK_TRUE : VK_FALSE;
  core.shaderInt64 = numbers.int64 ? VK_TRUE : VK_FALSE;
  core.shaderInt16 = numbers.int16 ? VK_TRUE : VK_FALSE;
  features.shaderFloat16 = numbers.float16 ? VK_TRUE : VK_FALSE;
  features.shaderInt8 = numbers.int8 ? VK_TRUE : VK_FALSE;
  VkDeviceCreateInfo create{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &features};
  create.pEnabledFeatures = &core;
  create.queueCreateInfoCount = static_cast<std::uint32_t>(queues.size());
  create.pQueueCreateInfos = queues.data();
  if (has_listings) {
    extensions.push_back(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
    listings.pNext = std::exchange(features.pNext, &listings);
  }
  VkPhysicalDeviceShaderClockFeaturesKHR clock{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR};
  clock.shaderSubgroupClock = VK_TRUE;
  if (has_core_clock(physical)) {
    extensions.push_back(VK_KHR_SHADER_CLOCK_EXTENSION_NAME);
    clock.pNext = std::exchange(features.pNext, &clock);
  }
  VkPhysicalDeviceShaderIntegerDotProductFeaturesKHR dot{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES_KHR};
  dot.shaderIntegerDotProduct = VK_TRUE;
  if (numbers.dot4) {
    extensions.push_back(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
    dot.pNext = std::exchange(features.pNext, &dot);
  }
  if (has_extension(physical, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) {
    extensions.push_back(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  }
  create.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  create.ppEnabledExtensionNames = extensions.data();
  VkDevice device = VK_NULL_HANDLE;
  check(vkCreateDevice(physical, &create, nullptr, &device), "vkCreateDevice");
  volkLoadDevice(device);
  return device;
}

}  // namespace

Queue::Queue(VkPhysicalDevice physical, bool addresses)
    : physical_(physical),
      family_(compute_family(physical)),
      families_(families_of(physical)),
      has_listings_(vulkan::has_listings(physical)),
      device_(make_device(physical, addresses, has_listings_)) {
  vkGetDeviceQueue(device_, family_.index, 0, &queue_);
  VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pool.queueFamilyIndex = family_.index;
  VkCommandPool raw_pool = VK_NULL_HANDLE;
  check(vkCreateCommandPool(device_, &pool, nullptr, &raw_pool), "vkCreateCommandPool");
  pool_ = {device_, raw_pool};
  VkCommandBufferAllocateInfo allocate_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocate_info.commandPool = raw_pool;
  allocate_info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate_info.commandBufferCount = 1;
  check(vkAllocateCommandBuffers(device_, &allocate_info, &commands_), "vkAllocateCommandBuffers");
  const VkFenceCreateInfo fence{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence raw_fence = VK_NULL_HANDLE;
  check(vkCreateFence(device_, &fence, nullptr, &raw_fence), "vkCreateFence");
  fence_ = {device_, raw_fence};
}

Queue::~Queue() {
  if (device_ == VK_NULL_HANDLE || is_abandoned) return;
  vkDeviceWaitIdle(device_);
  fence_ = {};
  pool_ = {};
  vkDestroyDevice(device_, nullptr);
}

void Queue::begin() {
  check(vkResetCommandPool(device_, pool_.get(), 0), "vkResetCommandPool");
  VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  check(vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
  barrier(commands_);
}

void Queue::submit() {
  barrier(commands_);
  check(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
  VkSubmitInfo submit{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands_;
  const VkFence fence = fence_.get();
  check(vkResetFences(device_, 1, &fence), "vkResetFences");
  check(vkQueueSubmit(queue_, 1, &submit, fence), "vkQueueSubmit");
}

void Queue::wait() {
  const VkFence fence = fence_.get();
  check_wait(vkWaitForFences(device_, 1, &fence, VK_TRUE, dispatch_timeout_ns), "vkWaitForFences");
}

void Queue::barrier(VkCommandBuffer commands) {
  VkMemoryBarrier memory{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  memory.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
  const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT;
  vkCmdPipelineBarrier(commands, all, all, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

}  // namespace sonde::device::vulkan
