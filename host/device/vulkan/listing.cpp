#include "device/vulkan/listing.hpp"

#include <string_view>
#include <vector>

#include "device/vulkan/list.hpp"

namespace sonde::device::vulkan {
namespace {

using Representation = VkPipelineExecutableInternalRepresentationKHR;

/// Drivers show their intermediate forms as well; the last is what runs.
bool is_assembler(const Representation& representation) {
  return representation.isText == VK_TRUE &&
         std::string_view(representation.name).find("ssembl") != std::string_view::npos;
}

std::string assembler_of(VkDevice device, const VkPipelineExecutableInfoKHR& executable) {
  std::uint32_t count = 0;
  vkGetPipelineExecutableInternalRepresentationsKHR(device, &executable, &count, nullptr);
  const Representation unasked{.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR};
  std::vector<Representation> all(count, unasked);
  // First the sizes, then the texts.
  if (vkGetPipelineExecutableInternalRepresentationsKHR(device, &executable, &count, all.data()) != VK_SUCCESS)
    return {};
  std::vector<std::vector<char>> texts(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    texts[i].resize(all[i].dataSize);
    all[i].pData = texts[i].data();
  }
  if (vkGetPipelineExecutableInternalRepresentationsKHR(device, &executable, &count, all.data()) != VK_SUCCESS)
    return {};
  std::string found;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (is_assembler(all[i])) found += std::string(texts[i].data(), all[i].dataSize);
  }
  return found;
}

}  // namespace

bool has_listings(VkPhysicalDevice device) {
  if (!has_extension(device, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME)) return false;
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR features{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
  VkPhysicalDeviceFeatures2 core{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features};
  vkGetPhysicalDeviceFeatures2(device, &core);
  return features.pipelineExecutableInfo == VK_TRUE;
}

std::string listing_of(VkDevice device, VkPipeline pipeline) {
  const VkPipelineInfoKHR which{.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pNext = nullptr, .pipeline = pipeline};
  std::uint32_t count = 0;
  if (vkGetPipelineExecutablePropertiesKHR(device, &which, &count, nullptr) != VK_SUCCESS) return {};
  std::string found;
  for (std::uint32_t executable = 0; executable < count; ++executable) {
    const VkPipelineExecutableInfoKHR info{.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                           .pNext = nullptr,
                                           .pipeline = pipeline,
                                           .executableIndex = executable};
    found += assembler_of(device, info);
  }
  return found;
}

}  // namespace sonde::device::vulkan
