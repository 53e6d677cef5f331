#pragma once

#include <volk.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "device/copy_engines.hpp"
#include "device/vulkan/copy_families.hpp"
#include "device/vulkan/queue.hpp"

namespace sonde::device::vulkan {

/// A semaphore that counts, and a count of it.
struct Count {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::uint64_t value = 0;
};

/// One queue of a family with what a list of copies needs on it.
class CopyQueue {
 public:
  /// What is recorded beside the copies themselves: stamps before all queues begin and after all have ended.
  enum class Part { begin, copies, end };

  CopyQueue(Queue& queue, const CopyFamily& family, std::uint32_t index, double timer_step_ns);

  /// Submits a part, which begins when all of `after` are reached and reaches `done`.
  void submit(Part part, const CopyList& list, std::span<const Count> after, const Count& done);
  /// From the stamp that a part began with to the one that a part ended with, once both have run.
  [[nodiscard]] Nanoseconds time(Part from, Part to) const;
  [[nodiscard]] bool has_clock() const { return timestamp_bits_ > 0; }
  [[nodiscard]] VkSemaphore ends() const { return ends_.get(); }

 private:
  static constexpr std::uint32_t stamps = 6;  ///< two for each part

  void stamp(VkCommandBuffer commands, std::uint32_t index);

  VkDevice device_;
  VkQueue queue_ = VK_NULL_HANDLE;
  std::uint32_t timestamp_bits_;
  double timer_step_ns_;
  std::array<CommandPool, 3> pools_;
  std::array<VkCommandBuffer, 3> commands_{};
  QueryPool queries_;
  Semaphore ends_;
};

/// A semaphore that counts from 0.
Semaphore make_counter(VkDevice device);

}  // namespace sonde::device::vulkan
