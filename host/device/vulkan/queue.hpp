#pragma once

#include "device/copy_engines.hpp"
#include "device/vulkan/objects.hpp"

namespace sonde::device::vulkan {

/// A dispatch or a copy that has not ended after this time hangs.
inline constexpr std::uint64_t longest_work_ns = 20'000'000'000;

/// A command buffer with a pool of its own, recorded anew for every submission.
class Commands {
 public:
  Commands() = default;
  Commands(VkDevice device, std::uint32_t family);
  VkCommandBuffer begin();
  void end();

 private:
  VkDevice device_ = VK_NULL_HANDLE;
  CommandPool pool_;
  VkCommandBuffer buffer_ = VK_NULL_HANDLE;
};

using Record = std::function<void(VkCommandBuffer commands)>;

/// Commands with a fence that shows when they have ended. They run after everything submitted before them, and the host
/// sees what they wrote.
class Submission {
 public:
  Submission() = default;
  Submission(VkDevice device, VkQueue queue, std::uint32_t family);

  /// Records and submits without waiting; the last submission must have ended.
  void start(const Record& record);
  [[nodiscard]] bool is_running() const { return vkGetFenceStatus(device_, fence_.get()) == VK_NOT_READY; }
  void wait();

 private:
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  Commands commands_;
  Fence fence_;
};

/// A queue family through which data can be copied.
struct CopyFamily {
  std::uint32_t index = 0;
  std::uint32_t queues = 1;  ///< as many as a Queue's device has: at most 8
  std::uint32_t timestamp_bits = 0;
  bool computes = false;
  bool only_transfers = false;
  std::string name;  ///< "queue family 1 (transfer)"
};

/// The families of a device that copy for everybody.
std::vector<CopyFamily> copy_families(VkPhysicalDevice physical);

/// Whether the kernels of a family can be timed by the device's clock.
inline bool is_timed(const CopyFamily& family) { return family.computes && family.timestamp_bits > 0; }

/// A logical device with its queue for kernels, the queues through which it can copy, and commands that run to their
/// end before anything else does.
class Queue {
 public:
  /// Throws Unsupported when no queue both computes and has timestamps.
  Queue(VkPhysicalDevice physical, bool addresses);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  VkPhysicalDevice physical() const { return physical_; }
  VkDevice device() const { return device_; }
  VkQueue raw() const { return queue_; }
  /// The first family that computes and has a clock.
  const CopyFamily& family() const { return family_; }
  /// The families that copy for everybody: not those that video or other fixed-function hardware has for itself.
  std::span<const CopyFamily> families() const { return families_; }
  bool has_listings() const { return has_listings_; }

  /// Runs the commands after everything before them, and waits for their end.
  void run(const Record& record) {
    submission_.start(record);
    submission_.wait();
  }
  /// The queue's own commands, for work during which the host does something else.
  Submission& submission() { return submission_; }

 private:
  VkPhysicalDevice physical_;
  std::vector<CopyFamily> families_;
  CopyFamily family_;
  bool has_listings_ = false;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  Submission submission_;
};

/// Makes what was `written` at the stages `from` visible to `read` accesses at the stages `to`, which wait for it.
void barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
             VkAccessFlags read);

QueryPool make_timestamps(VkDevice device, std::uint32_t count);
/// Waits until consecutive timestamps have been written, and reads their ticks.
void read_timestamps(VkDevice device, const QueryPool& pool, std::uint32_t first, std::span<std::uint64_t> ticks);

/// A timeline semaphore with a value that it reaches.
struct TimelinePoint {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::uint64_t value = 0;
};

Semaphore make_timeline(VkDevice device);
void signal(VkDevice device, const TimelinePoint& point);
void wait_for(VkDevice device, const TimelinePoint& point, std::uint64_t timeout_ns = longest_work_ns);
/// Submits commands, or none, that begin when all of `after` are reached; `done` is reached when they have ended.
void submit(VkQueue queue, std::span<const TimelinePoint> after, std::span<const VkCommandBuffer> commands,
            const TimelinePoint& done);

/// The times of `count` round trips: the CPU signals a timeline semaphore that the queue waits for, the queue signals
/// it in turn, and the CPU wakes.
std::vector<Nanoseconds> round_trips(const Queue& queue, std::uint32_t count);

/// A launch that the device's own queue is about to run.
struct PreparedLaunch {
  Record record;
  std::function<Nanoseconds()> time;  ///< by the queue's clock, once it has run
};
using PrepareLaunch = std::function<PreparedLaunch(Kernel& kernel, const Launch& launch)>;

/// The engines behind all queues of the device's families. `queue` must outlive them.
std::unique_ptr<CopyEngines> make_copy_engines(Queue& queue, double timer_step_ns, PrepareLaunch prepare_launch);

}  // namespace sonde::device::vulkan
