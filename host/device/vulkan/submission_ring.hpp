#pragma once

#include <volk.h>

#include <array>
#include <cstddef>

#include "device/vulkan/handle.hpp"
#include "device/vulkan/queue.hpp"

namespace sonde::device::vulkan {

/// Commands that are submitted before others have ended, each in a slot of its own.
class SubmissionRing {
 public:
  static constexpr std::size_t slots = 3;

  explicit SubmissionRing(Queue& queue);

  /// Records with `record(commands)` and submits without waiting; the slot must not be in use.
  template <typename Record>
  void submit(std::size_t slot, Record record) {
    begin(slot);
    record(slots_[slot].commands);
    finish(slot);
  }
  void wait(std::size_t slot);

 private:
  struct Slot {
    CommandPool pool;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    Fence fence;
  };
  void begin(std::size_t slot);
  void finish(std::size_t slot);

  Queue& queue_;
  std::array<Slot, slots> slots_;
};

}  // namespace sonde::device::vulkan
