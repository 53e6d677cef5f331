#include "device/vulkan/copy_memory.hpp"

#include "device/error.hpp"
#include "device/vulkan/list.hpp"

namespace sonde::device::vulkan {
namespace {

constexpr VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr VkMemoryPropertyFlags coherent = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

/// The host's caches are asked for first: without them the host would read what was copied byte by byte.
Allocation pinned(const Queue& queue, std::uint64_t size_bytes) {
  check_host_can_spare(size_bytes);
  for (const VkMemoryPropertyFlags flags : {coherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, coherent}) {
    try {
      return allocate(queue.physical(), queue.device(), size_bytes, usage,
                      {.flags = flags, .avoided = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT}, queue.families());
    } catch (const Unsupported&) {
      if (flags == coherent) throw;
    }
  }
  throw Unsupported("the driver has no memory of the host");
}

Allocation made(const Queue& queue, HostKind kind, std::uint64_t size_bytes) {
  if (kind == HostKind::pinned) return pinned(queue, size_bytes);
  if (kind == HostKind::pageable) {
    throw Unsupported(
        "Vulkan copies from and to buffers alone, so what lies in ordinary memory has to be brought into one "
        "by the CPU first");
  }
  if (!has_extension(queue.physical(), VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) {
    throw Unsupported(
        "the driver lacks VK_EXT_external_memory_host, by which a program's memory is imported; a newer "
        "driver may have it");
  }
  return import_host(queue.physical(), queue.device(), size_bytes, usage, queue.families());
}

}  // namespace

CopyMemory::CopyMemory(Queue& queue, HostKind kind, std::uint64_t size_bytes)
    : allocation_(made(queue, kind, size_bytes)) {
  if (!allocation_.imported.bytes().empty()) {
    bytes_ = allocation_.imported.bytes().first(size_bytes);
    return;
  }
  void* mapped = nullptr;
  check(vkMapMemory(queue.device(), allocation_.memory.get(), 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  bytes_ = {static_cast<std::byte*>(mapped), size_bytes};
}

}  // namespace sonde::device::vulkan
