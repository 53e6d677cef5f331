#pragma once

#include <volk.h>

#include <cstdint>

#include "gpu/vulkan/handle.hpp"

namespace sonde::gpu::vulkan {

/// A buffer with memory of its own; simple on purpose: a probe holds few buffers at a time.
struct Allocation {
  BufferHandle buffer;
  DeviceMemory memory;
  std::uint64_t size_bytes = 0;
};

/// Finds a memory type that `buffer` may use with all of `wanted` and, where there is a choice, none of `avoided`.
/// Throws Unsupported when there is none.
std::uint32_t memory_type(VkPhysicalDevice physical, std::uint32_t allowed_types, VkMemoryPropertyFlags wanted,
                          VkMemoryPropertyFlags avoided);

/// Throws Unsupported when the driver has no such memory left.
Allocation allocate(VkPhysicalDevice physical, VkDevice device, std::uint64_t size_bytes, VkBufferUsageFlags usage,
                    VkMemoryPropertyFlags wanted, VkMemoryPropertyFlags avoided);

/// What device-local memory may still be taken: the driver's budget where it tells one, else the heap's size.
std::uint64_t device_local_budget_bytes(VkPhysicalDevice physical);

}  // namespace sonde::gpu::vulkan
