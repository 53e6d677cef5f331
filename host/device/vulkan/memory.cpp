#include "device/vulkan/memory.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "device/error.hpp"
#include "device/vulkan/physical_device.hpp"

namespace sonde::device::vulkan {
namespace {

VkPhysicalDeviceMemoryProperties properties_of(VkPhysicalDevice physical) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  return memory;
}

BufferHandle make_raw_buffer(const Queue& queue, std::uint64_t size_bytes, VkBufferUsageFlags usage, const void* next) {
  VkBufferCreateInfo create{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = next};
  create.size = size_bytes;
  create.usage = usage;
  if (queue.families().size() > 1) {
    create.sharingMode = VK_SHARING_MODE_CONCURRENT;
    create.queueFamilyIndexCount = static_cast<std::uint32_t>(queue.families().size());
    create.pQueueFamilyIndices = queue.families().data();
  }
  VkBuffer buffer = VK_NULL_HANDLE;
  check_room(vkCreateBuffer(queue.device(), &create, nullptr, &buffer), "vkCreateBuffer");
  return {queue.device(), buffer};
}

/// Finds a memory type among the `allowed` ones. Throws Unsupported when there is none.
std::uint32_t memory_type(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t allowed, const Wanted& wanted) {
  for (const VkMemoryPropertyFlags unwanted : {wanted.avoided, VkMemoryPropertyFlags{0}}) {
    for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
      const VkMemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
      const bool is_allowed = (allowed >> type & 1u) != 0;
      const bool has_them = wanted.exactly ? flags == wanted.flags : (flags & wanted.flags) == wanted.flags;
      if (is_allowed && has_them && (flags & unwanted) == 0) return type;
    }
  }
  throw Unsupported("the driver has no memory type of the wanted kind for this buffer");
}

/// Gives the buffer memory of a wanted type among the `allowed` ones; `next` names its source where that is not the
/// driver.
void bind_memory(Allocation& allocation, const Queue& queue, std::uint64_t size_bytes, std::uint32_t allowed,
                 const Wanted& wanted, VkBufferUsageFlags usage, const void* next) {
  const VkPhysicalDeviceMemoryProperties properties = properties_of(queue.physical());
  const std::uint32_t type = memory_type(properties, allowed, wanted);
  allocation.flags = properties.memoryTypes[type].propertyFlags;
  VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, .pNext = next};
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = next};
  if ((usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0) info.pNext = &flags;
  info.allocationSize = size_bytes;
  info.memoryTypeIndex = type;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  check_room(vkAllocateMemory(queue.device(), &info, nullptr, &memory), "vkAllocateMemory");
  allocation.memory = {queue.device(), memory};
  check(vkBindBufferMemory(queue.device(), allocation.buffer.get(), memory, 0), "vkBindBufferMemory");
}

/// The names in records: Khronos' own without VK_MEMORY_PROPERTY_ and _BIT.
constexpr std::array<std::pair<VkMemoryPropertyFlagBits, std::string_view>, 9> flag_names{{
    {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, "device-local"},
    {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, "host-visible"},
    {VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, "host-coherent"},
    {VK_MEMORY_PROPERTY_HOST_CACHED_BIT, "host-cached"},
    {VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT, "lazily-allocated"},
    {VK_MEMORY_PROPERTY_PROTECTED_BIT, "protected"},
    {VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD, "device-coherent"},
    {VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD, "device-uncached"},
    {VK_MEMORY_PROPERTY_RDMA_CAPABLE_BIT_NV, "rdma-capable"},
}};

/// Flags of memory that is for images only, protected from the CPU, or usable only with features that this program does
/// not enable.
constexpr VkMemoryPropertyFlags not_for_buffers =
    VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT |
    VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD |
    VK_MEMORY_PROPERTY_RDMA_CAPABLE_BIT_NV;

std::string joined_names(VkMemoryPropertyFlags flags) {
  std::string text;
  for (const auto& [flag, name] : flag_names) {
    if ((flags & flag) != 0) text += (text.empty() ? "" : "+") + std::string(name);
  }
  return text;
}

/// The largest budget among the heaps for which `counts(memory, heap)` holds.
template <typename Counts>
std::uint64_t largest_budget(VkPhysicalDevice physical, Counts counts) {
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

Allocation allocate(const Queue& queue, std::uint64_t size_bytes, VkBufferUsageFlags usage, const Wanted& wanted) {
  Allocation allocation;
  allocation.size_bytes = size_bytes;
  allocation.buffer = make_raw_buffer(queue, size_bytes, usage, nullptr);
  VkMemoryRequirements requirements;
  vkGetBufferMemoryRequirements(queue.device(), allocation.buffer.get(), &requirements);
  bind_memory(allocation, queue, requirements.size, requirements.memoryTypeBits, wanted, usage, nullptr);
  return allocation;
}

Allocation import_host(const Queue& queue, std::uint64_t size_bytes, VkBufferUsageFlags usage) {
  constexpr auto handle = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  VkExternalMemoryBufferCreateInfo external{.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  external.handleTypes = handle;
  Allocation allocation;
  allocation.size_bytes = size_bytes;
  allocation.buffer = make_raw_buffer(queue, size_bytes, usage, &external);
  VkMemoryRequirements requirements;
  vkGetBufferMemoryRequirements(queue.device(), allocation.buffer.get(), &requirements);
  const auto host = extension_properties<VkPhysicalDeviceExternalMemoryHostPropertiesEXT>(
      queue.physical(), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT);
  allocation.imported =
      PageAligned(requirements.size, std::max<std::uint64_t>(4096, host.minImportedHostPointerAlignment));
  const std::span<std::byte> bytes = allocation.imported.bytes();
  VkMemoryHostPointerPropertiesEXT pointer{.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
  check(vkGetMemoryHostPointerPropertiesEXT(queue.device(), handle, bytes.data(), &pointer),
        "vkGetMemoryHostPointerPropertiesEXT");
  VkImportMemoryHostPointerInfoEXT import{.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT};
  import.handleType = handle;
  import.pHostPointer = bytes.data();
  bind_memory(allocation, queue, bytes.size(), requirements.memoryTypeBits & pointer.memoryTypeBits,
              {.flags = coherent_memory}, usage, &import);
  return allocation;
}

std::span<std::byte> map_all(const Queue& queue, const Allocation& allocation) {
  if (!allocation.imported.bytes().empty()) return allocation.imported.bytes().first(allocation.size_bytes);
  void* mapped = nullptr;
  check(vkMapMemory(queue.device(), allocation.memory.get(), 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  return {static_cast<std::byte*>(mapped), allocation.size_bytes};
}

std::uint64_t device_local_budget_bytes(VkPhysicalDevice physical) {
  return largest_budget(physical, [](const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t heap) {
    return (memory.memoryHeaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
  });
}

std::uint64_t budget_bytes(VkPhysicalDevice physical, VkMemoryPropertyFlags flags) {
  return largest_budget(physical, [flags](const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t heap) {
    return std::any_of(memory.memoryTypes, memory.memoryTypes + memory.memoryTypeCount,
                       [&](const VkMemoryType& type) { return type.heapIndex == heap && type.propertyFlags == flags; });
  });
}

std::vector<MemoryKind> memory_kinds(VkPhysicalDevice physical) {
  const VkPhysicalDeviceMemoryProperties memory = properties_of(physical);
  std::vector<MemoryKind> kinds;
  for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
    const VkMemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
    const std::string name = joined_names(flags);
    // A type without flags has no name, and drivers list a type again for what else it may hold.
    if (name.empty() || std::ranges::find(kinds, name, &MemoryKind::name) != kinds.end()) continue;
    MemoryKind kind{.name = name, .missing = ""};
    if ((flags & not_for_buffers) != 0)
      kind.missing = "this type of memory is not for buffers that kernels read and write";
    kind.seen_by_cpu = (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
    kind.maps_freely = (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
    kinds.push_back(kind);
  }
  // The order is that in which memory_type() chooses for a buffer that names no kind.
  const auto rank = [](const MemoryKind& kind) {
    const bool local = kind.missing.empty() && kind.name.starts_with("device-local");
    return local ? (kind.seen_by_cpu ? 1 : 0) : 2;
  };
  const auto first = std::ranges::min_element(kinds, {}, rank);
  if (first != kinds.end()) std::rotate(kinds.begin(), first, first + 1);
  MemoryKind imported{.name = "imported-host", .missing = "", .maps_freely = true};
  if (!has_extension(physical, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) {
    imported.missing = "the driver cannot import memory of the program: it has no VK_EXT_external_memory_host";
  }
  kinds.push_back(imported);
  return kinds;
}

VkMemoryPropertyFlags flags_of(const MemoryKind& kind) {
  VkMemoryPropertyFlags flags = 0;
  std::string_view rest = kind.name;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find('+'));
    for (const auto& [flag, name] : flag_names) {
      if (name == word) flags |= static_cast<VkMemoryPropertyFlags>(flag);
    }
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return flags;
}

}  // namespace sonde::device::vulkan
