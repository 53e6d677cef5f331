#include "device/driver_clock.hpp"
#include "device/error.hpp"
#include "device/vulkan/copy_engines.hpp"
#include "device/vulkan/physical_device.hpp"

namespace sonde::device::vulkan {
namespace {

/// Allocates pinned memory, cached by the host if possible: without its caches the host would read copied bytes one by
/// one.
Allocation allocate_pinned(const Queue& queue, std::uint64_t size_bytes) {
  check_host_can_spare(size_bytes);
  for (const VkMemoryPropertyFlags flags : {coherent_memory | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, coherent_memory}) {
    try {
      return allocate(queue, size_bytes, copy_usage, {.flags = flags, .avoided = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT});
    } catch (const Unsupported&) {
      if (flags == coherent_memory) throw;
    }
  }
  throw Unsupported("the driver has no memory of the host");
}

Allocation allocate_host_memory(const Queue& queue, HostKind kind, std::uint64_t size_bytes) {
  if (kind == HostKind::pinned) return allocate_pinned(queue, size_bytes);
  if (kind == HostKind::pageable) {
    throw Unsupported(
        "Vulkan copies between buffers only, so the CPU would first have to copy ordinary memory into one");
  }
  if (!has_extension(queue.physical(), VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) {
    throw Unsupported(
        "the driver lacks VK_EXT_external_memory_host, which imports a program's memory; a newer driver may have it");
  }
  return import_host(queue, size_bytes, copy_usage);
}

VkBuffer buffer_of(const CopyEndpoint& place) {
  if (place.buffer != nullptr) return static_cast<const VulkanBuffer*>(place.buffer)->handle();
  return static_cast<const CopyMemory*>(place.host)->handle();
}

void record_copies(VkCommandBuffer commands, const CopyList& list) {
  for (const Copy& copy : list) {
    const VkBufferCopy region{
        .srcOffset = copy.from.offset_bytes, .dstOffset = copy.to.offset_bytes, .size = copy.bytes};
    vkCmdCopyBuffer(commands, buffer_of(copy.from), buffer_of(copy.to), 1, &region);
    // The next copy waits for this one, as on OpenCL's in-order queues.
    barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
  }
}

}  // namespace

CopyMemory::CopyMemory(const Queue& queue, HostKind kind, std::uint64_t size_bytes)
    : allocation_(allocate_host_memory(queue, kind, size_bytes)), bytes_(map_all(queue, allocation_)) {}

CopyQueue::CopyQueue(const Queue& queue, const CopyFamily& family, std::uint32_t index, double timer_step_ns)
    : device_(queue.device()),
      timestamp_bits_(family.timestamp_bits),
      timer_step_ns_(timer_step_ns),
      ends_(make_timeline(device_)) {
  vkGetDeviceQueue(device_, family.index, index, &queue_);
  for (Commands& commands : commands_) commands = Commands(device_, family.index);
  if (has_clock()) timestamps_ = make_timestamps(device_, 2 * static_cast<std::uint32_t>(commands_.size()));
}

void CopyQueue::stamp(VkCommandBuffer commands, std::uint32_t index) {
  if (has_clock()) vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, timestamps_.get(), index);
}

void CopyQueue::submit(Part part, const CopyList& list, std::span<const TimelinePoint> after,
                       const TimelinePoint& done) {
  const auto which = static_cast<std::uint32_t>(part);
  // The host resets them, as a queue that only transfers cannot.
  if (has_clock()) vkResetQueryPool(device_, timestamps_.get(), 2 * which, 2);
  const VkCommandBuffer commands = commands_[which].begin();
  barrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
          VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
          VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
  stamp(commands, 2 * which);
  record_copies(commands, list);
  stamp(commands, 2 * which + 1);
  barrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
          VK_ACCESS_HOST_READ_BIT);
  commands_[which].end();
  vulkan::submit(queue_, after, {&commands, 1}, done);
}

Nanoseconds CopyQueue::time(Part from, Part to) const {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  read_timestamps(device_, timestamps_, 2 * static_cast<std::uint32_t>(from), {&begin, 1});
  read_timestamps(device_, timestamps_, 2 * static_cast<std::uint32_t>(to) + 1, {&end, 1});
  return Nanoseconds(static_cast<double>(ticks_between(begin, end, timestamp_bits_)) * timer_step_ns_);
}

}  // namespace sonde::device::vulkan
