#include "device/vulkan/buffer.hpp"

#include <utility>

#include "device/error.hpp"

namespace sonde::device::vulkan {

VkBufferUsageFlags usage_of(Use use, bool addresses) {
  VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (use == Use::storage || use == Use::bound) usage |= VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  if (use == Use::constant) usage |= VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
  if (is_texels(use)) usage |= VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
  if (addresses && use == Use::storage) usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  return usage;
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
  if (!allocation_.imported.bytes().empty()) return allocation_.imported.bytes().first(allocation_.size_bytes);
  if (mapped_ == nullptr) {
    void* mapped = nullptr;
    check(vkMapMemory(queue_.device(), allocation_.memory.get(), 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
    mapped_ = static_cast<std::byte*>(mapped);
  }
  if (!is_coherent()) {
    const VkMappedMemoryRange range = whole();
    check(vkInvalidateMappedMemoryRanges(queue_.device(), 1, &range), "vkInvalidateMappedMemoryRanges");
  }
  return {mapped_, allocation_.size_bytes};
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

BufferView VulkanBuffer::texels_of(VkDevice device, VkBuffer buffer, Use use) {
  VkBufferViewCreateInfo create{.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
  create.buffer = buffer;
  create.format = use == Use::wide_texels ? VK_FORMAT_R32G32B32A32_UINT : VK_FORMAT_R32_UINT;
  create.range = VK_WHOLE_SIZE;
  VkBufferView raw = VK_NULL_HANDLE;
  check(vkCreateBufferView(device, &create, nullptr, &raw), "vkCreateBufferView");
  return {device, raw};
}

}  // namespace sonde::device::vulkan
