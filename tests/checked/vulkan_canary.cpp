// Makes one deliberate mistake, named by its argument, which the validation layer must report: proof that the
// driver tests really run under it and that its synchronisation checks are on.

#include <volk.h>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string_view>

#include "device/vulkan/memory.hpp"
#include "device/vulkan/objects.hpp"
#include "device/vulkan/queue.hpp"

namespace {

using namespace sonde::device::vulkan;

constexpr VkDeviceSize buffer_bytes = 4096;

/// Creates a buffer of no size.
void wrong_argument(VkDevice device) {
  VkBufferCreateInfo create{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  create.size = 0;
  create.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  if (vkCreateBuffer(device, &create, nullptr, &buffer) == VK_SUCCESS) vkDestroyBuffer(device, buffer, nullptr);
}

/// Runs two copies without a barrier between them, the second of which reads what the first one wrote.
void missing_barrier(Queue& queue) {
  const Allocation first = allocate(queue, buffer_bytes, copy_usage, {});
  const Allocation second = allocate(queue, buffer_bytes, copy_usage, {});
  queue.run([&](VkCommandBuffer commands) {
    const VkBufferCopy all{.srcOffset = 0, .dstOffset = 0, .size = buffer_bytes};
    vkCmdCopyBuffer(commands, first.buffer.get(), second.buffer.get(), 1, &all);
    vkCmdCopyBuffer(commands, second.buffer.get(), first.buffer.get(), 1, &all);
  });
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view mistake = count > 1 ? arguments[1] : "";
  try {
    const Instance instance;
    Queue queue(instance.physical_devices().front(), false);
    if (mistake == "argument") wrong_argument(queue.device());
    if (mistake == "barrier") missing_barrier(queue);
  } catch (const std::exception& error) {
    std::cout << "No driver: " << error.what() << std::endl;
    return 1;
  }
  return 0;
}
