#include "device/vulkan/memory_kinds.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "device/vulkan/list.hpp"

namespace sonde::device::vulkan {
namespace {

/// A Khronos name without VK_MEMORY_PROPERTY_ and _BIT, as records have it.
constexpr std::array<std::pair<VkMemoryPropertyFlagBits, std::string_view>, 9> names{{
    {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, "device-local"},
    {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, "host-visible"},
    {VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, "host-coherent"},
    {VK_MEMORY_PROPERTY_HOST_CACHED_BIT, "host-cached"},
    {VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT, "lazily-allocated"},
    {VK_MEMORY_PROPERTY_PROTECTED_BIT, "protected"},
    {VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD, "device-coherent"},
    {VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD, "device-uncached"},
    {VK_MEMORY_PROPERTY_RDMA_CAPABLE_BIT_NV, "rdma-capable"},
}};

/// Of images only, closed to the CPU, or to be asked for with features that nothing here enables.
constexpr VkMemoryPropertyFlags not_for_buffers =
    VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT |
    VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD |
    VK_MEMORY_PROPERTY_RDMA_CAPABLE_BIT_NV;

std::string name_of(VkMemoryPropertyFlags flags) {
  std::string text;
  for (const auto& [flag, name] : names) {
    if ((flags & flag) != 0) text += (text.empty() ? "" : "+") + std::string(name);
  }
  return text;
}

}  // namespace

std::vector<MemoryKind> memory_kinds(VkPhysicalDevice physical) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  std::vector<MemoryKind> kinds;
  for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
    const VkMemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
    const std::string name = name_of(flags);
    // A type without flags has no name, and drivers list a type again for what else it may hold.
    if (name.empty() || std::ranges::find(kinds, name, &MemoryKind::name) != kinds.end()) continue;
    MemoryKind kind{.name = name, .missing = ""};
    if ((flags & not_for_buffers) != 0)
      kind.missing = "this type of memory is not for buffers that kernels read and write";
    kind.seen_by_cpu = (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
    kind.maps_freely = (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
    kinds.push_back(kind);
  }
  // As memory_type() chooses for a buffer that names none.
  const auto rank = [](const MemoryKind& kind) {
    const bool local = kind.missing.empty() && kind.name.starts_with("device-local");
    return local ? (kind.seen_by_cpu ? 1 : 0) : 2;
  };
  const auto first = std::ranges::min_element(kinds, {}, rank);
  if (first != kinds.end()) std::rotate(kinds.begin(), first, first + 1);
  MemoryKind imported{.name = "imported-host", .missing = "", .maps_freely = true};
  if (!has_extension(physical, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) {
    imported.missing = "the driver cannot import memory of the program: it has no VK_EXT_external_memory_host";
  }
  kinds.push_back(imported);
  return kinds;
}

VkMemoryPropertyFlags flags_of(const MemoryKind& kind) {
  VkMemoryPropertyFlags flags = 0;
  std::string_view rest = kind.name;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find('+'));
    for (const auto& [flag, name] : names) {
      if (name == word) flags |= static_cast<VkMemoryPropertyFlags>(flag);
    }
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return flags;
}

}  // namespace sonde::device::vulkan
