#pragma once

#include <volk.h>

#include <string>

namespace sonde::device::vulkan {

/// Whether this driver shows what it makes of pipelines: VK_KHR_pipeline_executable_properties.
bool has_listings(VkPhysicalDevice device);

/// The assembler of a pipeline that was made to capture its representations; empty where the driver shows none as text.
std::string listing_of(VkDevice device, VkPipeline pipeline);

}  // namespace sonde::device::vulkan
