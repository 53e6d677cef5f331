#pragma once

#include <volk.h>

#include <cstdint>
#include <span>
#include <vector>

#include "device/vulkan/handle.hpp"

namespace sonde::device::vulkan {

/// A dispatch that has not ended by then hangs.
inline constexpr std::uint64_t dispatch_timeout_ns = 20'000'000'000;

/// The first family that computes and has a clock; its timestamps' valid bits.
struct QueueFamily {
  std::uint32_t index = 0;
  std::uint32_t timestamp_bits = 0;
};

/// A logical device with its queue for kernels, beside those through which it can copy, and commands that run to their
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
  std::uint32_t family() const { return family_.index; }
  /// Of every queue that the device has: buffers are shared between them.
  std::span<const std::uint32_t> families() const { return families_; }
  bool has_listings() const { return has_listings_; }  ///< of pipelines that are made to be listed
  VkQueue raw() const { return queue_; }
  std::uint32_t timestamp_bits() const { return family_.timestamp_bits; }

  /// Records with `record(commands)`, runs it after everything before it, and waits for its end.
  template <typename Record>
  void run(const Record& record) {
    start(record);
    wait();
  }

  /// The same without waiting for its end; nothing else may be asked of the queue until wait().
  template <typename Record>
  void start(const Record& record) {
    begin();
    record(commands_);
    submit();
  }
  bool is_running() const { return vkGetFenceStatus(device_, fence_.get()) == VK_NOT_READY; }
  void wait();

  /// Everything before is finished and seen by everything after, the host included.
  static void barrier(VkCommandBuffer commands);

 private:
  void begin();
  void submit();

  VkPhysicalDevice physical_;
  QueueFamily family_;
  std::vector<std::uint32_t> families_;
  bool has_listings_;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  CommandPool pool_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  Fence fence_;
};

}  // namespace sonde::device::vulkan
