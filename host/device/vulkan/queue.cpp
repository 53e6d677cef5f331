#include "device/vulkan/queue.hpp"

#include <algorithm>

#include "device/driver_clock.hpp"

namespace sonde::device::vulkan {
namespace {

constexpr std::uint32_t most_queues = 8;

std::string queue_family_name(std::uint32_t index, VkQueueFlags flags) {
  std::string words;
  for (const auto& [flag, word] :
       {std::pair{VK_QUEUE_GRAPHICS_BIT, "graphics"}, std::pair{VK_QUEUE_COMPUTE_BIT, "compute"},
        std::pair{VK_QUEUE_TRANSFER_BIT, "transfer"}}) {
    if ((flags & flag) != 0) words += (words.empty() ? "" : ", ") + std::string(word);
  }
  return "queue family " + std::to_string(index) + " (" + words + ")";
}

const CopyFamily& compute_family(const std::vector<CopyFamily>& families) {
  const auto found = std::ranges::find_if(families, is_timed);
  if (found != families.end()) return *found;
  throw Unsupported(no_timestamps);
}

/// Creates the device with all queues that can copy, at once: unused queues cost the others no time. `has` is narrowed
/// to the features that it enables.
VkDevice make_device(VkPhysicalDevice physical, const std::vector<CopyFamily>& families, Features& has,
                     bool addresses) {
  const std::vector<float> priorities(most_queues, 1.0f);
  std::vector<VkDeviceQueueCreateInfo> queues;
  for (const CopyFamily& family : families) {
    queues.push_back({.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                      .queueFamilyIndex = family.index,
                      .queueCount = family.queues,
                      .pQueuePriorities = priorities.data()});
  }
  const VkPhysicalDeviceFeatures& core = has.core.features;
  has.core.features = {
      .shaderFloat64 = core.shaderFloat64, .shaderInt64 = core.shaderInt64, .shaderInt16 = core.shaderInt16};
  // Every driver of Vulkan 1.2 has timelines, which hold copies back, and resets by the host, which let the clocks of
  // queues that only copy be read.
  has.vulkan_1_2 = {.sType = has.vulkan_1_2.sType,
                    .pNext = has.vulkan_1_2.pNext,
                    .shaderFloat16 = has.vulkan_1_2.shaderFloat16,
                    .shaderInt8 = has.vulkan_1_2.shaderInt8,
                    .hostQueryReset = VK_TRUE,
                    .timelineSemaphore = VK_TRUE,
                    .bufferDeviceAddress = addresses};
  has.clock.shaderDeviceClock = VK_FALSE;
  const VkDeviceCreateInfo create{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                  .pNext = &has.core,
                                  .queueCreateInfoCount = static_cast<std::uint32_t>(queues.size()),
                                  .pQueueCreateInfos = queues.data(),
                                  .enabledExtensionCount = static_cast<std::uint32_t>(has.extensions.size()),
                                  .ppEnabledExtensionNames = has.extensions.data()};
  VkDevice device = VK_NULL_HANDLE;
  check(vkCreateDevice(physical, &create, nullptr, &device), "vkCreateDevice");
  volkLoadDevice(device);
  return device;
}

/// Separates a submission from everything before or after it, the host's accesses included.
void full_barrier(VkCommandBuffer commands) {
  constexpr VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT;
  barrier(commands, all, VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT, all,
          VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT);
}

}  // namespace

std::vector<CopyFamily> copy_families(VkPhysicalDevice physical) {
  constexpr VkQueueFlags kernels = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  std::vector<CopyFamily> found;
  for (std::uint32_t index = 0; index < families.size(); ++index) {
    const VkQueueFlags flags = families[index].queueFlags;
    const bool runs_kernels = (flags & kernels) != 0;  // such a family copies too, whether it says so or not
    const VkQueueFlags others =
        flags & ~(kernels | VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT | VK_QUEUE_PROTECTED_BIT);
    if (!runs_kernels && ((flags & VK_QUEUE_TRANSFER_BIT) == 0 || others != 0)) continue;
    found.push_back({.index = index,
                     .queues = std::min(families[index].queueCount, most_queues),
                     .timestamp_bits = families[index].timestampValidBits,
                     .computes = (flags & VK_QUEUE_COMPUTE_BIT) != 0,
                     .only_transfers = !runs_kernels,
                     .name = queue_family_name(index, flags)});
  }
  return found;
}

Commands::Commands(VkDevice device, std::uint32_t family)
    : device_(device),
      pool_(create<CommandPool>(device, vkCreateCommandPool,
                                {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family},
                                "vkCreateCommandPool")) {
  const VkCommandBufferAllocateInfo wanted{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                           .commandPool = pool_.get(),
                                           .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                           .commandBufferCount = 1};
  check(vkAllocateCommandBuffers(device, &wanted, &buffer_), "vkAllocateCommandBuffers");
}

VkCommandBuffer Commands::begin() {
  check(vkResetCommandPool(device_, pool_.get(), 0), "vkResetCommandPool");
  const VkCommandBufferBeginInfo once{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
  check(vkBeginCommandBuffer(buffer_, &once), "vkBeginCommandBuffer");
  return buffer_;
}

void Commands::end() { check(vkEndCommandBuffer(buffer_), "vkEndCommandBuffer"); }

Submission::Submission(VkDevice device, VkQueue queue, std::uint32_t family)
    : device_(device),
      queue_(queue),
      commands_(device, family),
      fence_(create<Fence>(device, vkCreateFence, {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, "vkCreateFence")) {}

void Submission::start(const Record& record) {
  const VkCommandBuffer commands = commands_.begin();
  full_barrier(commands);
  record(commands);
  full_barrier(commands);
  commands_.end();
  const VkSubmitInfo submit{
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  const VkFence fence = fence_.get();
  check(vkResetFences(device_, 1, &fence), "vkResetFences");
  check(vkQueueSubmit(queue_, 1, &submit, fence), "vkQueueSubmit");
}

void Submission::wait() {
  const VkFence fence = fence_.get();
  check_wait(vkWaitForFences(device_, 1, &fence, VK_TRUE, longest_work_ns), "vkWaitForFences");
}

Queue::Queue(VkPhysicalDevice physical, bool addresses)
    : physical_(physical), families_(copy_families(physical)), family_(compute_family(families_)) {
  Features features(physical);
  has_listings_ = features.listings.pipelineExecutableInfo == VK_TRUE;
  device_ = make_device(physical, families_, features, addresses);
  vkGetDeviceQueue(device_, family_.index, 0, &queue_);
  submission_ = Submission(device_, queue_, family_.index);
}

Queue::~Queue() {
  if (device_ == VK_NULL_HANDLE || is_abandoned) return;
  vkDeviceWaitIdle(device_);
  submission_ = {};
  vkDestroyDevice(device_, nullptr);
}

void barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
             VkAccessFlags read) {
  const VkMemoryBarrier memory{
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = written, .dstAccessMask = read};
  vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

QueryPool make_timestamps(VkDevice device, std::uint32_t count) {
  const VkQueryPoolCreateInfo wanted{
      .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = count};
  return create<QueryPool>(device, vkCreateQueryPool, wanted, "vkCreateQueryPool");
}

void read_timestamps(VkDevice device, const QueryPool& pool, std::uint32_t first, std::span<std::uint64_t> ticks) {
  check(vkGetQueryPoolResults(device, pool.get(), first, static_cast<std::uint32_t>(ticks.size()), ticks.size_bytes(),
                              ticks.data(), sizeof ticks[0], VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
        "vkGetQueryPoolResults");
}

Semaphore make_timeline(VkDevice device) {
  const VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                       .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  return create<Semaphore>(device, vkCreateSemaphore,
                           {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type}, "vkCreateSemaphore");
}

void signal(VkDevice device, const TimelinePoint& point) {
  const VkSemaphoreSignalInfo info{
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = point.semaphore, .value = point.value};
  check(vkSignalSemaphore(device, &info), "vkSignalSemaphore");
}

void wait_for(VkDevice device, const TimelinePoint& point, std::uint64_t timeout_ns) {
  const VkSemaphoreWaitInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                 .semaphoreCount = 1,
                                 .pSemaphores = &point.semaphore,
                                 .pValues = &point.value};
  check_wait(vkWaitSemaphores(device, &info, timeout_ns), "vkWaitSemaphores");
}

void submit(VkQueue queue, std::span<const TimelinePoint> after, std::span<const VkCommandBuffer> commands,
            const TimelinePoint& done) {
  std::vector<VkSemaphore> semaphores;
  std::vector<std::uint64_t> values;
  for (const TimelinePoint& one : after) {
    semaphores.push_back(one.semaphore);
    values.push_back(one.value);
  }
  const std::vector<VkPipelineStageFlags> stages(after.size(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  VkTimelineSemaphoreSubmitInfo timelines{.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  timelines.waitSemaphoreValueCount = static_cast<std::uint32_t>(values.size());
  timelines.pWaitSemaphoreValues = values.data();
  timelines.signalSemaphoreValueCount = 1;
  timelines.pSignalSemaphoreValues = &done.value;
  VkSubmitInfo submit{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .pNext = &timelines};
  submit.waitSemaphoreCount = static_cast<std::uint32_t>(semaphores.size());
  submit.pWaitSemaphores = semaphores.data();
  submit.pWaitDstStageMask = stages.data();
  submit.commandBufferCount = static_cast<std::uint32_t>(commands.size());
  submit.pCommandBuffers = commands.data();
  submit.signalSemaphoreCount = 1;
  submit.pSignalSemaphores = &done.semaphore;
  check(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
}

std::vector<Nanoseconds> round_trips(const Queue& queue, std::uint32_t count) {
  constexpr std::uint64_t timeout_ns = 3'000'000'000;
  const Semaphore timeline = make_timeline(queue.device());
  std::vector<Nanoseconds> times;
  for (std::uint64_t round = 0; round < count; ++round) {
    const TimelinePoint begin{timeline.get(), 2 * round + 1};
    const TimelinePoint end{timeline.get(), 2 * round + 2};
    submit(queue.raw(), {&begin, 1}, {}, end);
    const auto start = std::chrono::steady_clock::now();
    signal(queue.device(), begin);
    wait_for(queue.device(), end, timeout_ns);
    times.push_back(std::chrono::steady_clock::now() - start);
  }
  check(vkQueueWaitIdle(queue.raw()), "vkQueueWaitIdle");
  return times;
}

}  // namespace sonde::device::vulkan
