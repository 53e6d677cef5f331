#pragma once

#include <volk.h>

#include <cstdint>
#include <span>

#include "device/page_aligned.hpp"
#include "device/vulkan/handle.hpp"

namespace sonde::device::vulkan {

/// A buffer with memory of its own; simple on purpose: a probe holds few buffers at a time.
struct Allocation {
  PageAligned imported;  ///< memory of the program, where that is what it is; goes last
  BufferHandle buffer;
  DeviceMemory memory;
  std::uint64_t size_bytes = 0;
  VkMemoryPropertyFlags flags = 0;
};

/// Which types of memory will do, and where there is a choice, which better not.
struct Wanted {
  VkMemoryPropertyFlags flags = 0;
  VkMemoryPropertyFlags avoided = 0;
  bool exactly = false;  ///< these flags and no others
};

/// Finds a memory type that `buffer` may use. Throws Unsupported when there is none.
std::uint32_t memory_type(VkPhysicalDevice physical, std::uint32_t allowed_types, const Wanted& wanted);

/// Throws Unsupported when the driver has no such memory left. Queues of all these families may use it in turn.
Allocation allocate(VkPhysicalDevice physical, VkDevice device, std::uint64_t size_bytes, VkBufferUsageFlags usage,
                    const Wanted& wanted, std::span<const std::uint32_t> families = {});

/// A buffer over memory of the program, by VK_EXT_external_memory_host.
Allocation import_host(VkPhysicalDevice physical, VkDevice device, std::uint64_t size_bytes, VkBufferUsageFlags usage,
                       std::span<const std::uint32_t> families = {});

/// What device-local memory may still be taken: the driver's budget where it tells one, else the heap's size.
std::uint64_t device_local_budget_bytes(VkPhysicalDevice physical);
/// The same of the memory types with exactly these flags.
std::uint64_t budget_bytes(VkPhysicalDevice physical, VkMemoryPropertyFlags flags);

}  // namespace sonde::device::vulkan
