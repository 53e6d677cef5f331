#pragma once

#include <volk.h>

#include <cstdint>
#include <span>

#include "device/device.hpp"
#include "device/vulkan/memory.hpp"
#include "device/vulkan/queue.hpp"
#include "device/vulkan/staging.hpp"

namespace sonde::device::vulkan {

/// What a buffer is made to be used for; `addresses`: kernels reach those for storage by their address.
VkBufferUsageFlags usage_of(Use use, bool addresses);

/// Whether shaders reach it as texels, of whatever width.
inline bool is_texels(Use use) { return use == Use::texels || use == Use::wide_texels; }

class VulkanBuffer final : public Buffer {
 public:
  /// `allocation` was made with `usage_of(use, addresses)`.
  VulkanBuffer(Queue& queue, Staging& staging, Allocation allocation, Use use, bool addresses);

  std::uint64_t size_bytes() const override { return allocation_.size_bytes; }
  void write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) override;
  void read(std::uint64_t offset_bytes, std::span<std::byte> bytes) override;
  std::span<std::byte> map(Access access) override;
  void unmap() override;

  VkBuffer handle() const { return allocation_.buffer.get(); }
  VkDeviceAddress address() const { return address_; }
  Use use() const { return use_; }
  const VkBufferView& view() const { return view_.raw(); }

 private:
  static BufferView texels_of(VkDevice device, VkBuffer buffer, Use use);
  [[nodiscard]] VkMappedMemoryRange whole() const;
  [[nodiscard]] bool is_coherent() const { return (allocation_.flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0; }

  Queue& queue_;
  Staging& staging_;
  Use use_;
  Allocation allocation_;
  BufferView view_;  ///< of texels only; goes before the buffer does
  VkDeviceAddress address_ = 0;
  std::byte* mapped_ = nullptr;  ///< from the first map() on: Vulkan lets it stay
  Access access_ = Access::read;
};

}  // namespace sonde::device::vulkan
