#include "device/vulkan/submission_ring.hpp"

#include "device/error.hpp"

namespace sonde::device::vulkan {
SubmissionRing::SubmissionRing(Queue& queue) : queue_(queue) {
  for (Slot& slot : slots_) {
    VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.queueFamilyIndex = queue.family();
    VkCommandPool raw_pool = VK_NULL_HANDLE;
    check(vkCreateCommandPool(queue.device(), &pool, nullptr, &raw_pool), "vkCreateCommandPool");
    slot.pool = {queue.device(), raw_pool};
    VkCommandBufferAllocateInfo allocate_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate_info.commandPool = raw_pool;
    allocate_info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocate_info.commandBufferCount = 1;
    check(vkAllocateCommandBuffers(queue.device(), &allocate_info, &slot.commands), "vkAllocateCommandBuffers");
    const VkFenceCreateInfo fence{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence raw_fence = VK_NULL_HANDLE;
    check(vkCreateFence(queue.device(), &fence, nullptr, &raw_fence), "vkCreateFence");
    slot.fence = {queue.device(), raw_fence};
  }
}

void SubmissionRing::begin(std::size_t slot) {
  check(vkResetCommandPool(queue_.device(), slots_[slot].pool.get(), 0), "vkResetCommandPool");
  VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  check(vkBeginCommandBuffer(slots_[slot].commands, &begin), "vkBeginCommandBuffer");
  Queue::barrier(slots_[slot].commands);
}

void SubmissionRing::finish(std::size_t slot) {
  Queue::barrier(slots_[slot].commands);
  check(vkEndCommandBuffer(slots_[slot].commands), "vkEndCommandBuffer");
  VkSubmitInfo submit{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &slots_[slot].commands;
  const VkFence fence = slots_[slot].fence.get();
  check(vkResetFences(queue_.device(), 1, &fence), "vkResetFences");
  check(vkQueueSubmit(queue_.raw(), 1, &submit, fence), "vkQueueSubmit");
}

void SubmissionRing::wait(std::size_t slot) {
  const VkFence fence = slots_[slot].fence.get();
  check_wait(vkWaitForFences(queue_.device(), 1, &fence, VK_TRUE, dispatch_timeout_ns), "vkWaitForFences");
}

}  // namespace sonde::device::vulkan
