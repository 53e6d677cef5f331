#include "device/vulkan/memory.hpp"

#include <algorithm>
#include <utility>

#include "device/error.hpp"
#include "device/vulkan/list.hpp"

namespace sonde::device::vulkan {
namespace {

VkPhysicalDeviceMemoryProperties properties_of(VkPhysicalDevice physical) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  return memory;
}

BufferHandle make_buffer(VkDevice device, std::uint64_t size_bytes, VkBufferUsageFlags usage,
                         std::span<const std::uint32_t> families, const void* next) {
  VkBufferCreateInfo create{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = next};
  create.size = size_bytes;
  create.usage = usage;
  if (families.size() > 1) {
    create.sharingMode = VK_SHARING_MODE_CONCURRENT;
    create.queueFamilyIndexCount = static_cast<std::uint32_t>(families.size());
    create.pQueueFamilyIndices = families.data();
  }
  VkBuffer buffer = VK_NULL_HANDLE;
  check_room(vkCreateBuffer(device, &create, nullptr, &buffer), "vkCreateBuffer");
  return {device, buffer};
}

/// Gives the buffer memory of the type; `next` says where it comes from, where that is not the driver.
void bind(Allocation& allocation, VkDevice device, std::uint64_t size_bytes, std::uint32_t type,
          VkBufferUsageFlags usage, const void* next) {
  VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, .pNext = next};
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = next};
  if ((usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0) info.pNext = &flags;
  info.allocationSize = size_bytes;
  info.memoryTypeIndex = type;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  check_room(vkAllocateMemory(device, &info, nullptr, &memory), "vkAllocateMemory");
  allocation.memory = {device, memory};
  check(vkBindBufferMemory(device, allocation.buffer.get(), memory, 0), "vkBindBufferMemory");
}

std::uint64_t import_alignment_bytes(VkPhysicalDevice physical) {
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &host};
  vkGetPhysicalDeviceProperties2(physical, &properties);
  return std::max<std::uint64_t>(4096, host.minImportedHostPointerAlignment);
}

/// The most that is left in a heap of which `counts(heap)`.
template <typename Counts>
std::uint64_t most_left_in(VkPhysicalDevice physical, Counts counts) {
  const bool has_budget = has_extension(physical, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{.sType =
                                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
  VkPhysicalDeviceMemoryProperties2 memory{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
  if (has_budget) memory.pNext = &budget;
  vkGetPhysicalDeviceMemoryProperties2(physical, &memory);
  std::uint64_t most = 0;
  for (std::uint32_t heap = 0; heap < memory.memoryProperties.memoryHeapCount; ++heap) {
    if (!counts(memory.memoryProperties, heap)) continue;
    std::uint64_t left = memory.memoryProperties.memoryHeaps[heap].size;
    if (has_budget) left = budget.heapBudget[heap] - std::min(budget.heapBudget[heap], budget.heapUsage[heap]);
    most = std::max(most, left);
  }
  return most;
}

}  // namespace

std::uint32_t memory_type(VkPhysicalDevice physical, std::uint32_t allowed_types, const Wanted& wanted) {
  const VkPhysicalDeviceMemoryProperties memory = properties_of(physical);
  for (const VkMemoryPropertyFlags unwanted : {wanted.avoided, VkMemoryPropertyFlags{0}}) {
    for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
      const VkMemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
      const bool allowed = (allowed_types >> type & 1u) != 0;
      const bool has_them = wanted.exactly ? flags == wanted.flags : (flags & wanted.flags) == wanted.flags;
      if (allowed && has_them && (flags & unwanted) == 0) return type;
    }
  }
  throw Unsupported("the driver has no memory type of the wanted kind for this buffer");
}

Allocation allocate(VkPhysicalDevice physical, VkDevice device, std::uint64_t size_bytes, VkBufferUsageFlags usage,
                    const Wanted& wanted, std::span<const std::uint32_t> families) {
  Allocation allocation;
  allocation.size_bytes = size_bytes;
  allocation.buffer = make_buffer(device, size_bytes, usage, families, nullptr);
  VkMemoryRequirements requirements;
  vkGetBufferMemoryRequirements(device, allocation.buffer.get(), &requirements);
  const std::uint32_t type = memory_type(physical, requirements.memoryTypeBits, wanted);
  allocation.flags = properties_of(physical).memoryTypes[type].propertyFlags;
  bind(allocation, device, requirements.size, type, usage, nullptr);
  return allocation;
}

Allocation import_host(VkPhysicalDevice physical, VkDevice device, std::uint64_t size_bytes, VkBufferUsageFlags usage,
                       std::span<const std::uint32_t> families) {
  constexpr auto handle = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  VkExternalMemoryBufferCreateInfo external{.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  external.handleTypes = handle;
  Allocation allocation;
  allocation.size_bytes = size_bytes;
  allocation.buffer = make_buffer(device, size_bytes, usage, families, &external);
  VkMemoryRequirements requirements;
  vkGetBufferMemoryRequirements(device, allocation.buffer.get(), &requirements);
  allocation.imported = PageAligned(requirements.size, import_alignment_bytes(physical));
  const std::span<std::byte> bytes = allocation.imported.bytes();
  VkMemoryHostPointerPropertiesEXT pointer{.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
  check(vkGetMemoryHostPointerPropertiesEXT(device, handle, bytes.data(), &pointer),
        "vkGetMemoryHostPointerPropertiesEXT");
  constexpr VkMemoryPropertyFlags coherent = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const std::uint32_t type =
      memory_type(physical, requirements.memoryTypeBits & pointer.memoryTypeBits, {.flags = coherent});
  allocation.flags = properties_of(physical).memoryTypes[type].propertyFlags;
  VkImportMemoryHostPointerInfoEXT import{.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT};
  import.handleType = handle;
  import.pHostPointer = bytes.data();
  bind(allocation, device, bytes.size(), type, usage, &import);
  return allocation;
}

std::uint64_t device_local_budget_bytes(VkPhysicalDevice physical) {
  return most_left_in(physical, [](const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t heap) {
    return (memory.memoryHeaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
  });
}

std::uint64_t budget_bytes(VkPhysicalDevice physical, VkMemoryPropertyFlags flags) {
  return most_left_in(physical, [flags](const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t heap) {
    return std::any_of(memory.memoryTypes, memory.memoryTypes + memory.memoryTypeCount,
                       [&](const VkMemoryType& type) { return type.heapIndex == heap && type.propertyFlags == flags; });
  });
}

}  // namespace sonde::device::vulkan
