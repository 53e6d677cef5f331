#pragma once

#include "device/vulkan/queue.hpp"

namespace sonde::device::vulkan {

/// A buffer with memory of its own; simple on purpose: a probe holds few buffers at a time.
struct Allocation {
  PageAligned imported;  ///< the program's memory where the buffer lies in such; destroyed last
  BufferHandle buffer;
  DeviceMemory memory;
  std::uint64_t size_bytes = 0;
  VkMemoryPropertyFlags flags = 0;
};

inline constexpr VkMemoryPropertyFlags coherent_memory =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
inline constexpr VkBufferUsageFlags copy_usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

/// The acceptable types of memory; types with `avoided` flags are taken only where there is no other.
struct Wanted {
  VkMemoryPropertyFlags flags = 0;
  VkMemoryPropertyFlags avoided = 0;
  bool exactly = false;  ///< these flags and no others
};

/// A buffer that the device's queues may use in turn. Throws Unsupported when the driver has no such memory left.
Allocation allocate(const Queue& queue, std::uint64_t size_bytes, VkBufferUsageFlags usage, const Wanted& wanted);

/// A buffer over memory of the program, by VK_EXT_external_memory_host.
Allocation import_host(const Queue& queue, std::uint64_t size_bytes, VkBufferUsageFlags usage);

/// The whole allocation as the CPU sees it; it may be mapped once.
std::span<std::byte> map_all(const Queue& queue, const Allocation& allocation);

/// The memory of a wanted type that can still be allocated: the driver's budget where it states one, else the heap's
/// size.
std::uint64_t budget_bytes(VkPhysicalDevice physical, const Wanted& wanted);

/// Every type of memory that a buffer may have, by its flags, and imported memory of the program. The first one holds
/// buffers that name none.
std::vector<MemoryKind> memory_kinds(VkPhysicalDevice physical);

/// The flags that the kind's name consists of; zero for "imported-host".
VkMemoryPropertyFlags flags_of(const MemoryKind& kind);

/// The usage flags of a buffer; with `addresses`, kernels reach those for storage by their address.
VkBufferUsageFlags usage_of(Use use, bool addresses);

inline bool is_texels(Use use) { return use == Use::texels || use == Use::wide_texels; }

/// Host-visible memory through which data goes to and from device memory, piece by piece.
struct Staging {
  explicit Staging(const Queue& queue);

  Allocation allocation;
  std::span<std::byte> mapped;
};

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
  VkBufferView view() const { return view_.get(); }

 private:
  [[nodiscard]] VkMappedMemoryRange whole() const;
  [[nodiscard]] bool is_coherent() const { return (allocation_.flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0; }

  Queue& queue_;
  Staging& staging_;
  Use use_;
  Allocation allocation_;
  BufferView view_;  ///< only for texels; destroyed before the buffer
  VkDeviceAddress address_ = 0;
  std::span<std::byte> mapped_;  ///< stays mapped from the first map() on, as Vulkan allows
  Access access_ = Access::read;
};

}  // namespace sonde::device::vulkan
