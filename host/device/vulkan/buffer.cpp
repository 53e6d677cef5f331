#include <algorithm>
#include <cstring>
#include <utility>

#include "device/error.hpp"
#include "device/vulkan/memory.hpp"

namespace sonde::device::vulkan {
namespace {

constexpr std::uint64_t staging_bytes = 4ull << 20;

BufferView texels_of(VkDevice device, VkBuffer buffer, Use use) {
  VkBufferViewCreateInfo create{.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
  create.buffer = buffer;
  create.format = use == Use::wide_texels ? VK_FORMAT_R32G32B32A32_UINT : VK_FORMAT_R32_UINT;
  create.range = VK_WHOLE_SIZE;
  return BufferView::create(device, vkCreateBufferView, create, "vkCreateBufferView");
}

}  // namespace

VkBufferUsageFlags usage_of(Use use, bool addresses) {
  VkBufferUsageFlags usage = copy_usage;
  if (use == Use::storage || use == Use::bound) usage |= VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  if (use == Use::constant) usage |= VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
  if (is_texels(use)) usage |= VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
  if (addresses && use == Use::storage) usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  return usage;
}

Staging::Staging(Queue& queue)
    : queue_(queue),
      allocation_(allocate(queue, staging_bytes, copy_usage,
                           {.flags = coherent_memory, .avoided = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT})),
      mapped_(map_all(queue, allocation_)) {}

void Staging::write(VkBuffer to, std::uint64_t offset, std::span<const std::byte> bytes) {
  for (std::uint64_t done = 0; done < bytes.size(); done += staging_bytes) {
    const std::uint64_t piece = std::min<std::uint64_t>(staging_bytes, bytes.size() - done);
    std::memcpy(mapped_.data(), bytes.data() + done, piece);
    copy(allocation_.buffer.get(), 0, to, offset + done, piece);
  }
}

void Staging::read(VkBuffer from, std::uint64_t offset, std::span<std::byte> bytes) {
  for (std::uint64_t done = 0; done < bytes.size(); done += staging_bytes) {
    const std::uint64_t piece = std::min<std::uint64_t>(staging_bytes, bytes.size() - done);
    copy(from, offset + done, allocation_.buffer.get(), 0, piece);
    std::memcpy(bytes.data() + done, mapped_.data(), piece);
  }
}

void Staging::copy(VkBuffer from, std::uint64_t from_offset, VkBuffer to, std::uint64_t to_offset,
                   std::uint64_t bytes) {
  queue_.run([&](VkCommandBuffer commands) {
    const VkBufferCopy region{.srcOffset = from_offset, .dstOffset = to_offset, .size = bytes};
    vkCmdCopyBuffer(commands, from, to, 1, &region);
  });
}

VulkanBuffer::VulkanBuffer(Queue& queue, Staging& staging, Allocation allocation, Use use, bool addresses)
    : queue_(queue), staging_(staging), use_(use), allocation_(std::move(allocation)) {
  if (is_texels(use)) view_ = texels_of(queue.device(), handle(), use);
  if (!addresses || use != Use::storage) return;
  VkBufferDeviceAddressInfo where{.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
  where.buffer = handle();
  address_ = vkGetBufferDeviceAddress(queue.device(), &where);
}

void VulkanBuffer::write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) {
  check_range(offset_bytes, bytes.size());
  staging_.write(handle(), offset_bytes, bytes);
}

void VulkanBuffer::read(std::uint64_t offset_bytes, std::span<std::byte> bytes) {
  check_range(offset_bytes, bytes.size());
  staging_.read(handle(), offset_bytes, bytes);
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
  VkMappedMemoryRange range{.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE};
  range.memory = allocation_.memory.get();
  range.size = VK_WHOLE_SIZE;
  return range;
}

}  // namespace sonde::device::vulkan
