// Takes the place of some Vulkan functions where volk loads them (linker option --wrap).

#include "driver/more_queues.hpp"

#include <volk.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

using sonde::test::more_queues;

constexpr std::array<std::uint32_t, 2> queue_counts{3, 2};
constexpr std::uint32_t transfer_family = 1;

VkDevice device = VK_NULL_HANDLE;
VkQueue real_queue = VK_NULL_HANDLE;
std::mutex real_queue_mutex;
std::atomic<std::uint64_t> copies_since_stamp{0};

PFN_vkGetPhysicalDeviceQueueFamilyProperties real_families = nullptr;
PFN_vkEnumerateDeviceExtensionProperties real_extensions = nullptr;
PFN_vkCreateDevice real_create_device = nullptr;
PFN_vkDestroyDevice real_destroy_device = nullptr;
PFN_vkDeviceWaitIdle real_wait_idle = nullptr;
PFN_vkCreateCommandPool real_create_command_pool = nullptr;
PFN_vkCreateBuffer real_create_buffer = nullptr;
PFN_vkQueueSubmit real_submit = nullptr;
PFN_vkGetEventStatus real_event_status = nullptr;
PFN_vkGetFenceStatus real_fence_status = nullptr;
PFN_vkCmdCopyBuffer real_copy = nullptr;
PFN_vkResetQueryPool real_reset_queries = nullptr;
PFN_vkGetQueryPoolResults real_query_results = nullptr;

/// A submission that outlives the call.
struct Submission {
  std::vector<VkSemaphore> waits;
  std::vector<std::uint64_t> wait_values;
  std::vector<VkCommandBuffer> commands;
  std::vector<VkSemaphore> signals;
  std::vector<std::uint64_t> signal_values;
  VkFence fence = VK_NULL_HANDLE;

  Submission(const VkSubmitInfo& info, VkFence with_fence)
      : waits(info.pWaitSemaphores, info.pWaitSemaphores + info.waitSemaphoreCount),
        commands(info.pCommandBuffers, info.pCommandBuffers + info.commandBufferCount),
        signals(info.pSignalSemaphores, info.pSignalSemaphores + info.signalSemaphoreCount),
        fence(with_fence) {
    const auto* counts = static_cast<const VkTimelineSemaphoreSubmitInfo*>(info.pNext);  // nothing else is in the chain
    if (counts == nullptr) return;
    wait_values.assign(counts->pWaitSemaphoreValues, counts->pWaitSemaphoreValues + waits.size());
    signal_values.assign(counts->pSignalSemaphoreValues, counts->pSignalSemaphoreValues + signals.size());
  }

  void run() const {
    if (!waits.empty()) {
      VkSemaphoreWaitInfo wait{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
      wait.semaphoreCount = static_cast<std::uint32_t>(waits.size());
      wait.pSemaphores = waits.data();
      wait.pValues = wait_values.data();
      vkWaitSemaphores(device, &wait, ~0ull);
    }
    VkTimelineSemaphoreSubmitInfo counts{.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    counts.signalSemaphoreValueCount = static_cast<std::uint32_t>(signal_values.size());
    counts.pSignalSemaphoreValues = signal_values.data();
    VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .pNext = &counts};
    info.commandBufferCount = static_cast<std::uint32_t>(commands.size());
    info.pCommandBuffers = commands.data();
    info.signalSemaphoreCount = static_cast<std::uint32_t>(signals.size());
    info.pSignalSemaphores = signals.data();
    const std::lock_guard lock(real_queue_mutex);
    real_submit(real_queue, 1, &info, fence);
  }
};

/// A queue that the program sees, with a thread that submits to the real one.
class SeenQueue {
 public:
  void submit(Submission submission) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(submission));
    changed_.notify_all();
  }
  void wait_until_empty() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.empty(); });
  }

 private:
  void work(const std::stop_token& stop) {
    for (;;) {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [&] { return !waiting_.empty(); })) return;
      const Submission next = waiting_.front();
      lock.unlock();
      next.run();
      lock.lock();
      waiting_.pop_front();
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Submission> waiting_;
  std::jthread thread_{[this](const std::stop_token& stop) { work(stop); }};
};

std::array<std::vector<std::unique_ptr<SeenQueue>>, queue_counts.size()> queues;

VKAPI_ATTR void VKAPI_CALL seen_families(VkPhysicalDevice physical, std::uint32_t* count,
                                         VkQueueFamilyProperties* families) {
  std::uint32_t one = 1;
  VkQueueFamilyProperties real{};
  real_families(physical, &one, &real);
  *count = families == nullptr ? 2 : std::min(*count, 2u);
  if (families == nullptr || *count < 2) return;
  families[0] = families[1] = real;
  families[0].queueCount = queue_counts[0];
  families[transfer_family].queueCount = queue_counts[transfer_family];
  families[transfer_family].queueFlags = VK_QUEUE_TRANSFER_BIT;
  families[transfer_family].timestampValidBits = more_queues.transfer_timestamp_bits;
}

VKAPI_ATTR VkResult VKAPI_CALL seen_extensions(VkPhysicalDevice physical, const char* layer, std::uint32_t* count,
                                               VkExtensionProperties* extensions) {
  const VkResult result = real_extensions(physical, layer, count, extensions);
  for (std::uint32_t index = 0; extensions != nullptr && !more_queues.imports_memory && index < *count; ++index) {
    char* const name = extensions[index].extensionName;
    if (std::strcmp(name, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) == 0) name[0] = '\0';
  }
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* wanted,
                                             const VkAllocationCallbacks* allocation, VkDevice* made) {
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo create = *wanted;
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queue;
  const VkResult result = real_create_device(physical, &create, allocation, made);
  if (result == VK_SUCCESS) device = *made;
  return result;
}

VKAPI_ATTR void VKAPI_CALL seen_queue(VkDevice, std::uint32_t family, std::uint32_t index, VkQueue* queue) {
  *queue = reinterpret_cast<VkQueue>(queues.at(family).at(index).get());
}

VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  for (std::uint32_t index = 0; index < count; ++index) {
    const bool is_last = index + 1 == count;
    reinterpret_cast<SeenQueue*>(queue)->submit({infos[index], is_last ? fence : VK_NULL_HANDLE});
  }
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL wait_idle(VkDevice which) {
  for (const auto& family : queues) {
    for (const auto& queue : family) queue->wait_until_empty();
  }
  return real_wait_idle(which);
}

VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice which, const VkAllocationCallbacks* allocation) {
  for (auto& family : queues) family.clear();
  real_destroy_device(which, allocation);
}

VKAPI_ATTR VkResult VKAPI_CALL create_command_pool(VkDevice which, const VkCommandPoolCreateInfo* wanted,
                                                   const VkAllocationCallbacks* allocation, VkCommandPool* pool) {
  VkCommandPoolCreateInfo create = *wanted;
  create.queueFamilyIndex = 0;
  return real_create_command_pool(which, &create, allocation, pool);
}

VKAPI_ATTR VkResult VKAPI_CALL create_buffer(VkDevice which, const VkBufferCreateInfo* wanted,
                                             const VkAllocationCallbacks* allocation, VkBuffer* buffer) {
  VkBufferCreateInfo create = *wanted;
  create.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  create.queueFamilyIndexCount = 0;
  return real_create_buffer(which, &create, allocation, buffer);
}

VKAPI_ATTR VkResult VKAPI_CALL event_status(VkDevice which, VkEvent event) {
  return more_queues.shows_events ? real_event_status(which, event) : VK_EVENT_RESET;
}

VKAPI_ATTR VkResult VKAPI_CALL fence_status(VkDevice which, VkFence fence) {
  return more_queues.keeps_fences ? VK_NOT_READY : real_fence_status(which, fence);
}

VKAPI_ATTR void VKAPI_CALL copy(VkCommandBuffer commands, VkBuffer from, VkBuffer to, std::uint32_t count,
                                const VkBufferCopy* regions) {
  ++copies_since_stamp;
  real_copy(commands, from, to, count, regions);
}

VKAPI_ATTR void VKAPI_CALL reset_queries(VkDevice which, VkQueryPool pool, std::uint32_t first, std::uint32_t count) {
  copies_since_stamp = 0;
  real_reset_queries(which, pool, first, count);
}

VKAPI_ATTR VkResult VKAPI_CALL query_results(VkDevice which, VkQueryPool pool, std::uint32_t first, std::uint32_t count,
                                             std::size_t bytes, void* data, VkDeviceSize stride,
                                             VkQueryResultFlags flags) {
  const VkResult result = real_query_results(which, pool, first, count, bytes, data, stride, flags);
  if (more_queues.stamps_ticks == 0 || count != 1) return result;
  const std::uint64_t ticks = first % 2 == 0 ? 0 : more_queues.stamps_ticks + 100 * copies_since_stamp;
  std::memcpy(data, &ticks, sizeof ticks);
  return result;
}

template <typename Function>
void replace(Function& loaded, Function& real, Function with) {
  real = loaded;
  loaded = with;
}

}  // namespace

extern "C" {
void __real_volkLoadInstanceOnly(VkInstance instance);
void __real_volkLoadDevice(VkDevice device);

void __wrap_volkLoadInstanceOnly(VkInstance instance) {
  __real_volkLoadInstanceOnly(instance);
  replace(vkGetPhysicalDeviceQueueFamilyProperties, real_families, seen_families);
  replace(vkEnumerateDeviceExtensionProperties, real_extensions, seen_extensions);
  replace(vkCreateDevice, real_create_device, create_device);
}

void __wrap_volkLoadDevice(VkDevice loaded) {
  __real_volkLoadDevice(loaded);
  vkGetDeviceQueue(loaded, 0, 0, &real_queue);
  vkGetDeviceQueue = seen_queue;
  replace(vkDestroyDevice, real_destroy_device, destroy_device);
  replace(vkDeviceWaitIdle, real_wait_idle, wait_idle);
  replace(vkCreateCommandPool, real_create_command_pool, create_command_pool);
  replace(vkCreateBuffer, real_create_buffer, create_buffer);
  replace(vkQueueSubmit, real_submit, submit);
  replace(vkGetEventStatus, real_event_status, event_status);
  replace(vkGetFenceStatus, real_fence_status, fence_status);
  replace(vkCmdCopyBuffer, real_copy, copy);
  replace(vkResetQueryPool, real_reset_queries, reset_queries);
  replace(vkGetQueryPoolResults, real_query_results, query_results);
  for (std::size_t family = 0; family < queues.size(); ++family) {
    for (std::uint32_t index = 0; index < queue_counts[family]; ++index) {
      queues[family].push_back(std::make_unique<SeenQueue>());
    }
  }
}
}
