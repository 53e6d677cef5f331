#include "device/vulkan/round_trip.hpp"

#include <chrono>

#include "device/error.hpp"

namespace sonde::device::vulkan {
namespace {

constexpr std::uint64_t timeout_ns = 3'000'000'000;

/// Hands the queue work that begins at one value of the semaphore and ends with the next.
void enqueue(const Queue& queue, VkSemaphore semaphore, std::uint64_t begin) {
  const std::uint64_t end = begin + 1;
  VkTimelineSemaphoreSubmitInfo values{.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  values.waitSemaphoreValueCount = 1;
  values.pWaitSemaphoreValues = &begin;
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &end;
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo submit{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .pNext = &values};
  submit.waitSemaphoreCount = 1;
  submit.pWaitSemaphores = &semaphore;
  submit.pWaitDstStageMask = &stage;
  submit.signalSemaphoreCount = 1;
  submit.pSignalSemaphores = &semaphore;
  check(vkQueueSubmit(queue.raw(), 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
}

}  // namespace

std::vector<Nanoseconds> round_trips(const Queue& queue, std::uint32_t count) {
  VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  const VkSemaphoreCreateInfo create{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
  VkSemaphore raw = VK_NULL_HANDLE;
  check(vkCreateSemaphore(queue.device(), &create, nullptr, &raw), "vkCreateSemaphore");
  const Semaphore semaphore(queue.device(), raw);
  std::vector<Nanoseconds> times;
  for (std::uint64_t round = 0; round < count; ++round) {
    const std::uint64_t begin = 2 * round + 1;
    const std::uint64_t end = begin + 1;
    enqueue(queue, raw, begin);
    VkSemaphoreSignalInfo signal{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
    signal.semaphore = raw;
    signal.value = begin;
    VkSemaphoreWaitInfo wait{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    wait.semaphoreCount = 1;
    wait.pSemaphores = &raw;
    wait.pValues = &end;
    const auto start = std::chrono::steady_clock::now();
    check(vkSignalSemaphore(queue.device(), &signal), "vkSignalSemaphore");
    const VkResult result = vkWaitSemaphores(queue.device(), &wait, timeout_ns);
    times.push_back(std::chrono::steady_clock::now() - start);
    check_wait(result, "vkWaitSemaphores");
  }
  check(vkQueueWaitIdle(queue.raw()), "vkQueueWaitIdle");
  return times;
}

}  // namespace sonde::device::vulkan
