// Makes one deliberate mistake, named by its argument, which the validation layer must report: proof that the
// driver tests really run under it and that its synchronisation checks are on.

#include <volk.h>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string_view>

#include "device/vulkan/handle.hpp"
#include "device/vulkan/instance.hpp"
#include "device/vulkan/memory.hpp"

namespace {

using namespace sonde::device::vulkan;

constexpr VkDeviceSize buffer_bytes = 4096;

VkDevice make_device(VkPhysicalDevice physical) {
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo create{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queue;
  VkDevice device = VK_NULL_HANDLE;
  check(vkCreateDevice(physical, &create, nullptr, &device), "vkCreateDevice");
  volkLoadDevice(device);
  return device;
}

/// A buffer of no size.
void wrong_argument(VkDevice device) {
  VkBufferCreateInfo create{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  create.size = 0;
  create.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  if (vkCreateBuffer(device, &create, nullptr, &buffer) == VK_SUCCESS) vkDestroyBuffer(device, buffer, nullptr);
}

/// Two copies, the second of which reads what the first one wrote, with nothing between them.
void missing_barrier(VkPhysicalDevice physical, VkDevice device) {
  const VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  const Allocation first = allocate(physical, device, buffer_bytes, usage, {});
  const Allocation second = allocate(physical, device, buffer_bytes, usage, {});
  const VkCommandPoolCreateInfo pool_create{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  VkCommandPool raw_pool = VK_NULL_HANDLE;
  check(vkCreateCommandPool(device, &pool_create, nullptr, &raw_pool), "vkCreateCommandPool");
  const CommandPool pool(device, raw_pool);
  VkCommandBufferAllocateInfo allocate_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocate_info.commandPool = raw_pool;
  allocate_info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate_info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  check(vkAllocateCommandBuffers(device, &allocate_info, &commands), "vkAllocateCommandBuffers");
  const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  const VkBufferCopy all{.srcOffset = 0, .dstOffset = 0, .size = buffer_bytes};
  vkCmdCopyBuffer(commands, first.buffer.get(), second.buffer.get(), 1, &all);
  vkCmdCopyBuffer(commands, second.buffer.get(), first.buffer.get(), 1, &all);
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view mistake = count > 1 ? arguments[1] : "";
  try {
    const Instance instance;
    const VkPhysicalDevice physical = instance.physical_devices().front();
    const VkDevice device = make_device(physical);
    if (mistake == "argument") wrong_argument(device);
    if (mistake == "barrier") missing_barrier(physical, device);
    vkDestroyDevice(device, nullptr);
  } catch (const std::exception& error) {
    std::cout << "No driver: " << error.what() << std::endl;
    return 1;
  }
  return 0;
}
