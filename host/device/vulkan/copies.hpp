#pragma once

#include <functional>
#include <memory>

#include "device/copy_engines.hpp"
#include "device/vulkan/queue.hpp"

namespace sonde::device::vulkan {

/// A launch that the device's own queue is about to run.
struct PreparedLaunch {
  std::function<void(VkCommandBuffer commands)> record;
  std::function<Nanoseconds()> time;  ///< by the queue's clock, once it has run
};
using PrepareLaunch = std::function<PreparedLaunch(Kernel& kernel, const Launch& launch)>;

/// Copies through all queues of the device's families. `queue` must outlive them.
std::unique_ptr<CopyEngines> make_copy_engines(Queue& queue, double timer_step_ns, PrepareLaunch prepare_launch);

}  // namespace sonde::device::vulkan
