#include "device/vulkan/copy_queue.hpp"

#include "device/driver_clock.hpp"
#include "device/vulkan/buffer.hpp"
#include "device/vulkan/copy_memory.hpp"

namespace sonde::device::vulkan {
namespace {

VkBuffer buffer_of(const CopyEndpoint& place) {
  if (place.buffer != nullptr) return static_cast<const VulkanBuffer*>(place.buffer)->handle();
  return static_cast<const CopyMemory*>(place.host)->handle();
}

/// Everything before is finished, and seen by everything after.
void barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
             VkAccessFlags read) {
  VkMemoryBarrier memory{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  memory.srcAccessMask = written;
  memory.dstAccessMask = read;
  vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

constexpr VkAccessFlags transfers = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;

void record_copies(VkCommandBuffer commands, const CopyList& list) {
  for (const Copy& copy : list) {
    const VkBufferCopy region{
        .srcOffset = copy.from.offset_bytes, .dstOffset = copy.to.offset_bytes, .size = copy.bytes};
    vkCmdCopyBuffer(commands, buffer_of(copy.from), buffer_of(copy.to), 1, &region);
    // As OpenCL's queues in order: the next copy waits for this one.
    barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
            transfers);
  }
}

}  // namespace

Semaphore make_counter(VkDevice device) {
  VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  const VkSemaphoreCreateInfo create{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
  VkSemaphore raw = VK_NULL_HANDLE;
  check(vkCreateSemaphore(device, &create, nullptr, &raw), "vkCreateSemaphore");
  return {device, raw};
}

CopyQueue::CopyQueue(Queue& queue, const CopyFamily& family, std::uint32_t index, double timer_step_ns)
    : device_(queue.device()),
      timestamp_bits_(family.timestamp_bits),
      timer_step_ns_(timer_step_ns),
      ends_(make_counter(device_)) {
  vkGetDeviceQueue(device_, family.index, index, &queue_);
  for (std::size_t part = 0; part < pools_.size(); ++part) {
    VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.queueFamilyIndex = family.index;
    VkCommandPool raw_pool = VK_NULL_HANDLE;
    check(vkCreateCommandPool(device_, &pool, nullptr, &raw_pool), "vkCreateCommandPool");
    pools_[part] = {device_, raw_pool};
    VkCommandBufferAllocateInfo allocate_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate_info.commandPool = raw_pool;
    allocate_info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocate_info.commandBufferCount = 1;
    check(vkAllocateCommandBuffers(device_, &allocate_info, &commands_[part]), "vkAllocateCommandBuffers");
  }
  if (!has_clock()) return;
  VkQueryPoolCreateInfo queries{.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
  queries.queryCount = stamps;
  VkQueryPool raw_queries = VK_NULL_HANDLE;
  check(vkCreateQueryPool(device_, &queries, nullptr, &raw_queries), "vkCreateQueryPool");
  queries_ = {device_, raw_queries};
}

void CopyQueue::stamp(VkCommandBuffer commands, std::uint32_t index) {
  if (has_clock()) vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_.get(), index);
}

void CopyQueue::submit(Part part, const CopyList& list, std::span<const Count> after, const Count& done) {
  const auto which = static_cast<std::uint32_t>(part);
  VkCommandBuffer commands = commands_[which];
  // From the host, as a queue that only transfers cannot do it.
  if (has_clock()) vkResetQueryPool(device_, queries_.get(), 2 * which, 2);
  check(vkResetCommandPool(device_, pools_[which].get(), 0), "vkResetCommandPool");
  VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  barrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
          VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
          VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
  stamp(commands, 2 * which);
  record_copies(commands, list);
  stamp(commands, 2 * which + 1);
  barrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
          VK_ACCESS_HOST_READ_BIT);
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");

  std::vector<VkSemaphore> semaphores;
  std::vector<std::uint64_t> values;
  std::vector<VkPipelineStageFlags> stages;
  for (const Count& one : after) {
    semaphores.push_back(one.semaphore);
    values.push_back(one.value);
    stages.push_back(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  }
  VkTimelineSemaphoreSubmitInfo counts{.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  counts.waitSemaphoreValueCount = static_cast<std::uint32_t>(values.size());
  counts.pWaitSemaphoreValues = values.data();
  counts.signalSemaphoreValueCount = 1;
  counts.pSignalSemaphoreValues = &done.value;
  VkSubmitInfo submit{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .pNext = &counts};
  submit.waitSemaphoreCount = static_cast<std::uint32_t>(semaphores.size());
  submit.pWaitSemaphores = semaphores.data();
  submit.pWaitDstStageMask = stages.data();
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  submit.signalSemaphoreCount = 1;
  submit.pSignalSemaphores = &done.semaphore;
  check(vkQueueSubmit(queue_, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
}

Nanoseconds CopyQueue::time(Part from, Part to) const {
  const auto read = [this](std::uint32_t index) {
    std::uint64_t ticks = 0;
    check(vkGetQueryPoolResults(device_, queries_.get(), index, 1, sizeof ticks, &ticks, sizeof ticks,
                                VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
          "vkGetQueryPoolResults");
    return ticks;
  };
  const std::uint64_t begin = read(2 * static_cast<std::uint32_t>(from));
  const std::uint64_t end = read(2 * static_cast<std::uint32_t>(to) + 1);
  const std::uint64_t ticks = ticks_between(begin, end, timestamp_bits_);
  return Nanoseconds(static_cast<double>(ticks) * timer_step_ns_);
}

}  // namespace sonde::device::vulkan
