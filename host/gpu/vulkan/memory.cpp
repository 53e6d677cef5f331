#include "gpu/vulkan/memory.hpp"

#include <algorithm>

#include "gpu/error.hpp"
#include "gpu/vulkan/list.hpp"

namespace sonde::gpu::vulkan {

std::uint32_t memory_type(VkPhysicalDevice physical, std::uint32_t allowed_types, VkMemoryPropertyFlags wanted,
                          VkMemoryPropertyFlags avoided) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  for (const VkMemoryPropertyFlags unwanted : {avoided, VkMemoryPropertyFlags{0}}) {
    for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
      const VkMemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
      const bool allowed = (allowed_types >> type & 1u) != 0;
      if (allowed && (flags & wanted) == wanted && (flags & unwanted) == 0) return type;
    }
  }
  throw Unsupported("the driver has no memory type of the wanted kind for this buffer");
}

Allocation allocate(VkPhysicalDevice physical, VkDevice device, std::uint64_t size_bytes, VkBufferUsageFlags usage,
                    VkMemoryPropertyFlags wanted, VkMemoryPropertyFlags avoided) {
  Allocation allocation;
  allocation.size_bytes = size_bytes;
  VkBufferCreateInfo create{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  create.size = size_bytes;
  create.usage = usage;
  VkBuffer buffer = VK_NULL_HANDLE;
  check(vkCreateBuffer(device, &create, nullptr, &buffer), "vkCreateBuffer");
  allocation.buffer = {device, buffer};

  VkMemoryRequirements requirements;
  vkGetBufferMemoryRequirements(device, buffer, &requirements);
  VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo allocate_info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  if ((usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0) allocate_info.pNext = &flags;
  allocate_info.allocationSize = requirements.size;
  allocate_info.memoryTypeIndex = memory_type(physical, requirements.memoryTypeBits, wanted, avoided);
  VkDeviceMemory memory = VK_NULL_HANDLE;
  check(vkAllocateMemory(device, &allocate_info, nullptr, &memory), "vkAllocateMemory");
  allocation.memory = {device, memory};
  check(vkBindBufferMemory(device, buffer, memory, 0), "vkBindBufferMemory");
  return allocation;
}

std::uint64_t device_local_budget_bytes(VkPhysicalDevice physical) {
  const bool told = has_extension(physical, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
  VkPhysicalDeviceMemoryProperties2 memory{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
  if (told) memory.pNext = &budget;
  vkGetPhysicalDeviceMemoryProperties2(physical, &memory);
  std::uint64_t most = 0;
  for (std::uint32_t heap = 0; heap < memory.memoryProperties.memoryHeapCount; ++heap) {
    const VkMemoryHeap& one = memory.memoryProperties.memoryHeaps[heap];
    if ((one.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) == 0) continue;
    std::uint64_t left = one.size;
    if (told) left = budget.heapBudget[heap] - std::min(budget.heapBudget[heap], budget.heapUsage[heap]);
    most = std::max(most, left);
  }
  return most;
}

}  // namespace sonde::gpu::vulkan
