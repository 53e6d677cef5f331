#include "device/vulkan/memory.hpp"

#include <algorithm>

namespace sonde::device::vulkan {
namespace {

VkPhysicalDeviceMemoryProperties properties_of(VkPhysicalDevice physical) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  return memory;
}

std::span<const VkMemoryType> types_of(const VkPhysicalDeviceMemoryProperties& memory) {
  return {memory.memoryTypes, memory.memoryTypeCount};
}

bool is_wanted(VkMemoryPropertyFlags flags, const Wanted& wanted) {
  return wanted.exactly ? flags == wanted.flags : (flags & wanted.flags) == wanted.flags;
}

BufferHandle make_raw_buffer(const Queue& queue, std::uint64_t size_bytes, VkBufferUsageFlags usage, const void* next) {
  std::vector<std::uint32_t> families;
  for (const CopyFamily& family : queue.families()) families.push_back(family.index);
  return create<BufferHandle>(
      queue.device(), vkCreateBuffer,
      {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
       .pNext = next,
       .size = size_bytes,
       .usage = usage,
       .sharingMode = families.size() > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
       .queueFamilyIndexCount = static_cast<std::uint32_t>(families.size()),
       .pQueueFamilyIndices = families.data()},
      "vkCreateBuffer", check_room);
}

std::uint32_t memory_type(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t allowed, const Wanted& wanted) {
  for (const VkMemoryPropertyFlags unwanted : {wanted.avoided, VkMemoryPropertyFlags{0}}) {
    for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
      const VkMemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
      const bool is_allowed = (allowed >> type & 1u) != 0;
      if (is_allowed && is_wanted(flags, wanted) && (flags & unwanted) == 0) return type;
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
  const VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                        .pNext = next,
                                        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  const bool has_address = (usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0;
  allocation.memory = create<DeviceMemory>(queue.device(), vkAllocateMemory,
                                           {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                            .pNext = has_address ? &flags : next,
                                            .allocationSize = size_bytes,
                                            .memoryTypeIndex = type},
                                           "vkAllocateMemory", check_room);
  check(vkBindBufferMemory(queue.device(), allocation.buffer.get(), allocation.memory.get(), 0), "vkBindBufferMemory");
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

void copy_now(Queue& queue, VkBuffer from, std::uint64_t from_offset, VkBuffer to, std::uint64_t to_offset,
              std::uint64_t bytes) {
  queue.run([&](VkCommandBuffer commands) {
    const VkBufferCopy region{.srcOffset = from_offset, .dstOffset = to_offset, .size = bytes};
    vkCmdCopyBuffer(commands, from, to, 1, &region);
  });
}

}  // namespace

Allocation allocate(const Queue& queue, std::uint64_t size_bytes, VkBufferUsageFlags usage, const Wanted& wanted) {
  Allocation allocation{.buffer = make_raw_buffer(queue, size_bytes, usage, nullptr), .size_bytes = size_bytes};
  VkMemoryRequirements requirements;
  vkGetBufferMemoryRequirements(queue.device(), allocation.buffer.get(), &requirements);
  bind_memory(allocation, queue, requirements.size, requirements.memoryTypeBits, wanted, usage, nullptr);
  return allocation;
}

Allocation import_host(const Queue& queue, std::uint64_t size_bytes, VkBufferUsageFlags usage) {
  constexpr auto handle = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  const VkExternalMemoryBufferCreateInfo external{.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                  .handleTypes = handle};
  Allocation allocation{.buffer = make_raw_buffer(queue, size_bytes, usage, &external), .size_bytes = size_bytes};
  VkMemoryRequirements requirements;
  vkGetBufferMemoryRequirements(queue.device(), allocation.buffer.get(), &requirements);
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 core{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &host};
  vkGetPhysicalDeviceProperties2(queue.physical(), &core);
  allocation.imported =
      PageAligned(requirements.size, std::max<std::uint64_t>(4096, host.minImportedHostPointerAlignment));
  const std::span<std::byte> bytes = allocation.imported.bytes();
  VkMemoryHostPointerPropertiesEXT pointer{.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
  check(vkGetMemoryHostPointerPropertiesEXT(queue.device(), handle, bytes.data(), &pointer),
        "vkGetMemoryHostPointerPropertiesEXT");
  const VkImportMemoryHostPointerInfoEXT import{.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
                                                .handleType = handle,
                                                .pHostPointer = bytes.data()};
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

std::uint64_t budget_bytes(VkPhysicalDevice physical, const Wanted& wanted) {
  const bool has_budget = has_extension(physical, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{.sType =
                                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
  VkPhysicalDeviceMemoryProperties2 memory{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
  if (has_budget) memory.pNext = &budget;
  vkGetPhysicalDeviceMemoryProperties2(physical, &memory);
  std::uint64_t most = 0;
  for (const VkMemoryType& type : types_of(memory.memoryProperties)) {
    const std::uint32_t heap = type.heapIndex;
    if (heap >= memory.memoryProperties.memoryHeapCount || !is_wanted(type.propertyFlags, wanted)) continue;
    std::uint64_t left = memory.memoryProperties.memoryHeaps[heap].size;
    if (has_budget) left = budget.heapBudget[heap] - std::min(budget.heapBudget[heap], budget.heapUsage[heap]);
    most = std::max(most, left);
  }
  return most;
}

std::vector<MemoryKind> memory_kinds(VkPhysicalDevice physical) {
  const VkPhysicalDeviceMemoryProperties memory = properties_of(physical);
  std::vector<MemoryKind> kinds;
  for (const VkMemoryType& type : types_of(memory)) {
    const VkMemoryPropertyFlags flags = type.propertyFlags;
    std::string name;
    for (const auto& [flag, word] : flag_names) {
      if ((flags & flag) != 0) name += (name.empty() ? "" : "+") + std::string(word);
    }
    // A type without flags has no name, and drivers list a type again for what else it may hold.
    if (name.empty() || std::ranges::find(kinds, name, &MemoryKind::name) != kinds.end()) continue;
    const bool for_buffers = (flags & not_for_buffers) == 0;
    kinds.push_back({.name = name,
                     .missing = for_buffers ? "" : "this type of memory is not for buffers that kernels read and write",
                     .seen_by_cpu = (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0,
                     .maps_freely = (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0});
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
  for (const auto& [flag, name] : flag_names) {
    if (("+" + kind.name + "+").find("+" + std::string(name) + "+") != std::string::npos) flags |= flag;
  }
  return flags;
}

VkBufferUsageFlags usage_of(Use use, bool addresses) {
  VkBufferUsageFlags usage = copy_usage;
  if (use == Use::storage || use == Use::bound) usage |= VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  if (use == Use::constant) usage |= VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
  if (is_texels(use)) usage |= VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
  if (addresses && use == Use::storage) usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  return usage;
}

Staging::Staging(const Queue& queue)
    : allocation(allocate(queue, 4 << 20, copy_usage,
                          {.flags = coherent_memory, .avoided = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT})),
      mapped(map_all(queue, allocation)) {}

VulkanBuffer::VulkanBuffer(Queue& queue, Staging& staging, Allocation allocation, Use use, bool addresses)
    : queue_(queue), staging_(staging), use_(use), allocation_(std::move(allocation)) {
  if (is_texels(use)) {
    view_ = create<BufferView>(queue.device(), vkCreateBufferView,
                               {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                .buffer = handle(),
                                .format = use == Use::wide_texels ? VK_FORMAT_R32G32B32A32_UINT : VK_FORMAT_R32_UINT,
                                .range = VK_WHOLE_SIZE},
                               "vkCreateBufferView");
  }
  if (!addresses || use != Use::storage) return;
  const VkBufferDeviceAddressInfo where{.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = handle()};
  address_ = vkGetBufferDeviceAddress(queue.device(), &where);
}

void VulkanBuffer::write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) {
  check_range(offset_bytes, bytes.size());
  while (!bytes.empty()) {
    const std::size_t piece = std::min(bytes.size(), staging_.mapped.size());
    std::ranges::copy(bytes.first(piece), staging_.mapped.begin());
    copy_now(queue_, staging_.allocation.buffer.get(), 0, handle(), offset_bytes, piece);
    bytes = bytes.subspan(piece);
    offset_bytes += piece;
  }
}

void VulkanBuffer::read(std::uint64_t offset_bytes, std::span<std::byte> bytes) {
  check_range(offset_bytes, bytes.size());
  while (!bytes.empty()) {
    const std::size_t piece = std::min(bytes.size(), staging_.mapped.size());
    copy_now(queue_, handle(), offset_bytes, staging_.allocation.buffer.get(), 0, piece);
    std::ranges::copy(staging_.mapped.first(piece), bytes.begin());
    bytes = bytes.subspan(piece);
    offset_bytes += piece;
  }
}

std::span<std::byte> VulkanBuffer::map(Access access) {
  access_ = access;
  if ((allocation_.flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) {
    throw Unsupported("the CPU cannot look at this memory: its type is not host-visible");
  }
  if (mapped_.empty()) mapped_ = map_all(queue_, allocation_);
  if (!is_coherent()) {
    const VkMappedMemoryRange range = whole();
    check(vkInvalidateMappedMemoryRanges(queue_.device(), 1, &range), "vkInvalidateMappedMemoryRanges");
  }
  return mapped_;
}

void VulkanBuffer::unmap() {
  if (is_coherent() || access_ == Access::read) return;
  const VkMappedMemoryRange range = whole();
  check(vkFlushMappedMemoryRanges(queue_.device(), 1, &range), "vkFlushMappedMemoryRanges");
}

VkMappedMemoryRange VulkanBuffer::whole() const {
  return {.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, .memory = allocation_.memory.get(), .size = VK_WHOLE_SIZE};
}

}  // namespace sonde::device::vulkan
