#include "device/vulkan/copy_families.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace sonde::device::vulkan {
namespace {

constexpr std::uint32_t most_queues = 8;
constexpr VkQueueFlags kernels = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;

std::string name_of(std::uint32_t index, VkQueueFlags flags) {
  std::string words;
  for (const auto& [flag, word] :
       {std::pair{VK_QUEUE_GRAPHICS_BIT, "graphics"}, std::pair{VK_QUEUE_COMPUTE_BIT, "compute"},
        std::pair{VK_QUEUE_TRANSFER_BIT, "transfer"}}) {
    if ((flags & flag) != 0) words += (words.empty() ? "" : ", ") + std::string(word);
  }
  return "queue family " + std::to_string(index) + " (" + words + ")";
}

}  // namespace

std::vector<CopyFamily> copy_families(VkPhysicalDevice physical) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  std::vector<CopyFamily> found;
  for (std::uint32_t index = 0; index < count; ++index) {
    const VkQueueFlags flags = families[index].queueFlags;
    const bool runs_kernels = (flags & kernels) != 0;  // and copies, whether it says so or not
    const VkQueueFlags others =
        flags & ~(kernels | VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT | VK_QUEUE_PROTECTED_BIT);
    if (!runs_kernels && ((flags & VK_QUEUE_TRANSFER_BIT) == 0 || others != 0)) continue;
    found.push_back({.index = index,
                     .queues = std::min(families[index].queueCount, most_queues),
                     .timestamp_bits = families[index].timestampValidBits,
                     .only_transfers = !runs_kernels,
                     .name = name_of(index, flags)});
  }
  return found;
}

}  // namespace sonde::device::vulkan
