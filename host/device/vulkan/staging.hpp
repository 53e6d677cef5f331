#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "device/vulkan/memory.hpp"
#include "device/vulkan/queue.hpp"

namespace sonde::device::vulkan {

inline constexpr std::uint64_t staging_bytes = 4ull << 20;

/// Host-visible memory through which data goes to and from device memory, piece by piece.
class Staging {
 public:
  explicit Staging(Queue& queue) : queue_(queue) {
    allocation_ = allocate(queue.physical(), queue.device(), staging_bytes,
                           VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                           {.flags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                            .avoided = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT},
                           queue.families());
    void* mapped = nullptr;
    check(vkMapMemory(queue.device(), allocation_.memory.get(), 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
    mapped_ = static_cast<std::byte*>(mapped);
  }

  void write(VkBuffer to, std::uint64_t offset, std::span<const std::byte> bytes) {
    for (std::uint64_t done = 0; done < bytes.size(); done += staging_bytes) {
      const std::uint64_t piece = std::min<std::uint64_t>(staging_bytes, bytes.size() - done);
      std::memcpy(mapped_, bytes.data() + done, piece);
      copy(allocation_.buffer.get(), 0, to, offset + done, piece);
    }
  }

  void read(VkBuffer from, std::uint64_t offset, std::span<std::byte> bytes) {
    for (std::uint64_t done = 0; done < bytes.size(); done += staging_bytes) {
      const std::uint64_t piece = std::min<std::uint64_t>(staging_bytes, bytes.size() - done);
      copy(from, offset + done, allocation_.buffer.get(), 0, piece);
      std::memcpy(bytes.data() + done, mapped_, piece);
    }
  }

 private:
  void copy(VkBuffer from, std::uint64_t from_offset, VkBuffer to, std::uint64_t to_offset, std::uint64_t bytes) {
    queue_.run([&](VkCommandBuffer commands) {
      const VkBufferCopy region{.srcOffset = from_offset, .dstOffset = to_offset, .size = bytes};
      vkCmdCopyBuffer(commands, from, to, 1, &region);
    });
  }

  Queue& queue_;
  Allocation allocation_;
  std::byte* mapped_ = nullptr;
};

}  // namespace sonde::device::vulkan
