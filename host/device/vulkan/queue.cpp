#include "device/vulkan/queue.hpp"

#include <algorithm>
#include <utility>

#include "device/error.hpp"
#include "device/vulkan/physical_device.hpp"

namespace sonde::device::vulkan {
namespace {

std::vector<VkQueueFamilyProperties> queue_families(VkPhysicalDevice physical) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  return families;
}

std::uint32_t compute_family(VkPhysicalDevice physical) {
  const auto families = queue_families(physical);
  const auto found = std::ranges::find_if(families, [](const VkQueueFamilyProperties& family) {
    return (family.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0 && family.timestampValidBits > 0;
  });
  if (found != families.end()) return static_cast<std::uint32_t>(found - families.begin());
  throw Unsupported("no queue of this device both computes and has timestamps, so nothing can be timed by its clock");
}

std::string queue_family_name(std::uint32_t index, VkQueueFlags flags) {
  std::string words;
  for (const auto& [flag, word] :
       {std::pair{VK_QUEUE_GRAPHICS_BIT, "graphics"}, std::pair{VK_QUEUE_COMPUTE_BIT, "compute"},
        std::pair{VK_QUEUE_TRANSFER_BIT, "transfer"}}) {
    if ((flags & flag) != 0) words += (words.empty() ? "" : ", ") + std::string(word);
  }
  return "queue family " + std::to_string(index) + " (" + words + ")";
}

/// Creates the device with all queues that can copy, at once: unused queues cost the others no time.
VkDevice make_device(VkPhysicalDevice physical, const std::vector<CopyFamily>& families, bool addresses,
                     bool has_listings) {
  std::vector<std::vector<float>> priorities;
  std::vector<VkDeviceQueueCreateInfo> queues;
  for (const CopyFamily& family : families) {
    priorities.emplace_back(family.queues, 1.0f);
    VkDeviceQueueCreateInfo queue{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueFamilyIndex = family.index;
    queue.queueCount = family.queues;
    queue.pQueuePriorities = priorities.back().data();
    queues.push_back(queue);
  }
  VkPhysicalDeviceVulkan12Features features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceFeatures core{};
  features.bufferDeviceAddress = addresses ? VK_TRUE : VK_FALSE;
  // Every driver of Vulkan 1.2 has these two: the first holds copies back, the second lets their clocks be read.
  features.timelineSemaphore = VK_TRUE;
  features.hostQueryReset = VK_TRUE;
  const NumberFeatures numbers = number_features(physical);
  core.shaderFloat64 = numbers.float64;
  core.shaderInt64 = numbers.int64;
  core.shaderInt16 = numbers.int16;
  features.shaderFloat16 = numbers.float16;
  features.shaderInt8 = numbers.int8;

  std::vector<const char*> extensions;
  const auto enable = [&](const char* extension, auto& its_features) {
    extensions.push_back(extension);
    its_features.pNext = std::exchange(features.pNext, &its_features);
  };
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR listings{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
  listings.pipelineExecutableInfo = VK_TRUE;
  if (has_listings) enable(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME, listings);
  VkPhysicalDeviceShaderClockFeaturesKHR clock{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR};
  clock.shaderSubgroupClock = VK_TRUE;
  if (has_core_clock(physical)) enable(VK_KHR_SHADER_CLOCK_EXTENSION_NAME, clock);
  VkPhysicalDeviceShaderIntegerDotProductFeaturesKHR dot{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES_KHR};
  dot.shaderIntegerDotProduct = VK_TRUE;
  if (numbers.dot4 == VK_TRUE) enable(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME, dot);
  if (has_extension(physical, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) {
    extensions.push_back(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  }

  VkDeviceCreateInfo create{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &features};
  create.pEnabledFeatures = &core;
  create.queueCreateInfoCount = static_cast<std::uint32_t>(queues.size());
  create.pQueueCreateInfos = queues.data();
  create.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  create.ppEnabledExtensionNames = extensions.data();
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

Commands::Commands(VkDevice device, std::uint32_t family) : device_(device) {
  VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pool.queueFamilyIndex = family;
  pool_ = CommandPool::create(device, vkCreateCommandPool, pool, "vkCreateCommandPool");
  VkCommandBufferAllocateInfo allocate_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocate_info.commandPool = pool_.get();
  allocate_info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate_info.commandBufferCount = 1;
  check(vkAllocateCommandBuffers(device, &allocate_info, &buffer_), "vkAllocateCommandBuffers");
}

VkCommandBuffer Commands::begin() {
  check(vkResetCommandPool(device_, pool_.get(), 0), "vkResetCommandPool");
  VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  check(vkBeginCommandBuffer(buffer_, &begin), "vkBeginCommandBuffer");
  return buffer_;
}

void Commands::end() { check(vkEndCommandBuffer(buffer_), "vkEndCommandBuffer"); }

Submission::Submission(VkDevice device, VkQueue queue, std::uint32_t family)
    : device_(device), queue_(queue), commands_(device, family) {
  const VkFenceCreateInfo fence{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  fence_ = Fence::create(device, vkCreateFence, fence, "vkCreateFence");
}

VkCommandBuffer Submission::begin() {
  recorded_ = commands_.begin();
  full_barrier(recorded_);
  return recorded_;
}

void Submission::submit() {
  full_barrier(recorded_);
  commands_.end();
  VkSubmitInfo submit{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &recorded_;
  check(vkResetFences(device_, 1, &fence_.get()), "vkResetFences");
  check(vkQueueSubmit(queue_, 1, &submit, fence_.get()), "vkQueueSubmit");
}

void Submission::wait() {
  check_wait(vkWaitForFences(device_, 1, &fence_.get(), VK_TRUE, longest_work_ns), "vkWaitForFences");
}

Queue::Queue(VkPhysicalDevice physical, bool addresses)
    : physical_(physical),
      family_(compute_family(physical)),
      timestamp_bits_(queue_families(physical)[family_].timestampValidBits),
      has_listings_(vulkan::has_listings(physical)) {
  const std::vector<CopyFamily> copying = copy_families(physical);
  for (const CopyFamily& family : copying) families_.push_back(family.index);
  device_ = make_device(physical, copying, addresses, has_listings_);
  vkGetDeviceQueue(device_, family_, 0, &queue_);
  submission_ = Submission(device_, queue_, family_);
}

Queue::~Queue() {
  if (device_ == VK_NULL_HANDLE || is_abandoned) return;
  vkDeviceWaitIdle(device_);
  submission_ = {};
  vkDestroyDevice(device_, nullptr);
}

void barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
             VkAccessFlags read) {
  VkMemoryBarrier memory{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  memory.srcAccessMask = written;
  memory.dstAccessMask = read;
  vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

std::vector<CopyFamily> copy_families(VkPhysicalDevice physical) {
  constexpr std::uint32_t most_queues = 8;
  constexpr VkQueueFlags kernels = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  const std::vector<VkQueueFamilyProperties> families = queue_families(physical);
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
                     .only_transfers = !runs_kernels,
                     .name = queue_family_name(index, flags)});
  }
  return found;
}

QueryPool make_timestamps(VkDevice device, std::uint32_t count) {
  VkQueryPoolCreateInfo create{.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  create.queryType = VK_QUERY_TYPE_TIMESTAMP;
  create.queryCount = count;
  return QueryPool::create(device, vkCreateQueryPool, create, "vkCreateQueryPool");
}

void read_timestamps(VkDevice device, const QueryPool& pool, std::uint32_t first, std::span<std::uint64_t> ticks) {
  check(vkGetQueryPoolResults(device, pool.get(), first, static_cast<std::uint32_t>(ticks.size()), ticks.size_bytes(),
                              ticks.data(), sizeof ticks[0], VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
        "vkGetQueryPoolResults");
}

Semaphore make_timeline(VkDevice device) {
  VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  const VkSemaphoreCreateInfo create{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
  return Semaphore::create(device, vkCreateSemaphore, create, "vkCreateSemaphore");
}

void signal(VkDevice device, const TimelinePoint& point) {
  VkSemaphoreSignalInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
  info.semaphore = point.semaphore;
  info.value = point.value;
  check(vkSignalSemaphore(device, &info), "vkSignalSemaphore");
}

void wait_for(VkDevice device, const TimelinePoint& point, std::uint64_t timeout_ns) {
  VkSemaphoreWaitInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  info.semaphoreCount = 1;
  info.pSemaphores = &point.semaphore;
  info.pValues = &point.value;
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
