#pragma once

#include <volk.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "device/copy_engines.hpp"
#include "device/vulkan/memory.hpp"
#include "device/vulkan/queue.hpp"

namespace sonde::device::vulkan {

/// A launch that the device's own queue is about to run.
struct PreparedLaunch {
  std::function<void(VkCommandBuffer commands)> record;
  std::function<Nanoseconds()> time;  ///< by the queue's clock, once it has run
};
using PrepareLaunch = std::function<PreparedLaunch(Kernel& kernel, const Launch& launch)>;

/// The engines behind all queues of the device's families. `queue` must outlive them.
std::unique_ptr<CopyEngines> make_copy_engines(Queue& queue, double timer_step_ns, PrepareLaunch prepare_launch);

/// Memory of the host behind a buffer, always mapped and always coherent.
class CopyMemory final : public HostMemory {
 public:
  CopyMemory(const Queue& queue, HostKind kind, std::uint64_t size_bytes);
  std::span<std::byte> bytes() override { return bytes_; }
  VkBuffer handle() const { return allocation_.buffer.get(); }

 private:
  Allocation allocation_;
  std::span<std::byte> bytes_;
};

/// One queue of a family, with what a list of copies needs on it.
class CopyQueue {
 public:
  /// The submissions of one run: the copies, and timestamps before all queues begin and after all have ended.
  enum class Part { begin, copies, end };

  CopyQueue(const Queue& queue, const CopyFamily& family, std::uint32_t index, double timer_step_ns);

  /// Submits a part, which begins when all of `after` are reached and reaches `done`.
  void submit(Part part, const CopyList& list, std::span<const TimelinePoint> after, const TimelinePoint& done);
  /// The time from the first timestamp of one part to the last of another, once both have run.
  [[nodiscard]] Nanoseconds time(Part from, Part to) const;
  [[nodiscard]] bool has_clock() const { return timestamp_bits_ > 0; }
  [[nodiscard]] VkSemaphore ends() const { return ends_.get(); }

 private:
  void stamp(VkCommandBuffer commands, std::uint32_t index);

  VkDevice device_;
  VkQueue queue_ = VK_NULL_HANDLE;
  std::uint32_t timestamp_bits_;
  double timer_step_ns_;
  std::array<Commands, 3> commands_;
  QueryPool timestamps_;  ///< two for each part
  Semaphore ends_;
};

}  // namespace sonde::device::vulkan
