#include "device/vulkan/list.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "device/device_info.hpp"
#include "device/vulkan/handle.hpp"
#include "device/vulkan/instance.hpp"
#include "device/vulkan/memory_kinds.hpp"
#include "device/vulkan/vulkan.hpp"

namespace sonde::device::vulkan {
namespace {

std::vector<VkExtensionProperties> extensions(VkPhysicalDevice device) {
  std::uint32_t count = 0;
  check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr), "vkEnumerateDeviceExtensionProperties");
  std::vector<VkExtensionProperties> all(count);
  check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, all.data()),
        "vkEnumerateDeviceExtensionProperties");
  return all;
}

DeviceType type(VkPhysicalDeviceType kind) {
  switch (kind) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return DeviceType::integrated;
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return DeviceType::cpu;
    default: return DeviceType::discrete;
  }
}

std::string version_text(std::uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version)) + "." +
         std::to_string(VK_API_VERSION_PATCH(version));
}

std::uint64_t device_memory_bytes(VkPhysicalDevice device) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(device, &memory);
  std::uint64_t largest = 0;
  for (std::uint32_t heap = 0; heap < memory.memoryHeapCount; ++heap) {
    if ((memory.memoryHeaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0) {
      largest = std::max<std::uint64_t>(largest, memory.memoryHeaps[heap].size);
    }
  }
  return largest;
}

/// The structures that one vkGetPhysicalDeviceProperties2 fills, chained once they stand still in memory.
struct Properties {
  VkPhysicalDeviceProperties2 core{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  VkPhysicalDeviceIDProperties id{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
  VkPhysicalDeviceDriverProperties driver{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
  VkPhysicalDeviceMaintenance3Properties allocation{.sType =
                                                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
  VkPhysicalDeviceMaintenance4Properties buffer{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES};
  VkPhysicalDevicePCIBusInfoPropertiesEXT pci{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT};
  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
  VkPhysicalDeviceShaderCorePropertiesAMD amd{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD};

  explicit Properties(VkPhysicalDevice device) {
    void** end = &core.pNext;
    const auto chain = [&end](auto& next) {
      *end = &next;
      end = &next.pNext;
    };
    chain(id);
    chain(driver);
    chain(allocation);
    VkPhysicalDeviceProperties basic;
    vkGetPhysicalDeviceProperties(device, &basic);
    if (basic.apiVersion >= VK_API_VERSION_1_3) chain(buffer);
    if (has_extension(device, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME)) chain(pci);
    if (has_extension(device, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) chain(nvidia);
    if (has_extension(device, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME)) chain(amd);
    vkGetPhysicalDeviceProperties2(device, &core);
  }
  Properties(const Properties&) = delete;
  Properties& operator=(const Properties&) = delete;
};

void set_largest_buffer(DeviceInfo& info, const Properties& properties, bool addresses) {
  info.largest_buffer_bytes = properties.allocation.maxMemoryAllocationSize;
  info.largest_buffer_reason = "the driver's maxMemoryAllocationSize";
  if (properties.buffer.maxBufferSize != 0 && properties.buffer.maxBufferSize < info.largest_buffer_bytes) {
    info.largest_buffer_bytes = properties.buffer.maxBufferSize;
    info.largest_buffer_reason = "the driver's maxBufferSize";
  }
  const std::uint64_t range = properties.core.properties.limits.maxStorageBufferRange;
  if (!addresses && range < info.largest_buffer_bytes) {
    info.largest_buffer_bytes = range;
    info.largest_buffer_reason = "the driver's maxStorageBufferRange, as it has no buffer device addresses";
  }
}

std::map<std::string, MissingType> missing_types(VkPhysicalDevice device) {
  const NumberFeatures features = number_features(device);
  std::map<std::string, MissingType> missing;
  const auto need = [&missing](const char* type, bool has, const char* feature) {
    if (!has) missing[type] = {.reason = std::string("the driver has no ") + feature};
  };
  need("fp64", features.float64, "shaderFloat64");
  need("fp16", features.float16, "shaderFloat16");
  need("int64", features.int64, "shaderInt64");
  need("int16", features.int16, "shaderInt16");
  need("int8", features.int8, "shaderInt8");
  need("dot4", features.dot4, "VK_KHR_shader_integer_dot_product with shaderIntegerDotProduct");
  // The type comes with conversions and dot products whose rounding is the driver's own; nothing of it can be proved.
  const bool bf16 = has_extension(device, "VK_KHR_shader_bfloat16");
  missing["bf16"] = {.reason = bf16 ? "VK_KHR_shader_bfloat16 has no additions and multiplications of bf16, but "
                                      "conversions, dot products and matrices only"
                                    : "the driver has no VK_KHR_shader_bfloat16"};
  return missing;
}

bool has_dot4_instruction(VkPhysicalDevice device) {
  if (!has_extension(device, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME)) return false;
  VkPhysicalDeviceShaderIntegerDotProductPropertiesKHR dot{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES_KHR};
  VkPhysicalDeviceProperties2 core{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &dot};
  vkGetPhysicalDeviceProperties2(device, &core);
  return dot.integerDotProduct4x8BitPackedSignedAccelerated == VK_TRUE;
}

}  // namespace

NumberFeatures number_features(VkPhysicalDevice device) {
  VkPhysicalDeviceShaderIntegerDotProductFeaturesKHR dot{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES_KHR};
  VkPhysicalDeviceVulkan12Features features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  if (has_extension(device, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME)) features.pNext = &dot;
  VkPhysicalDeviceFeatures2 core{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features};
  vkGetPhysicalDeviceFeatures2(device, &core);
  return {.float64 = core.features.shaderFloat64 == VK_TRUE,
          .float16 = features.shaderFloat16 == VK_TRUE,
          .int64 = core.features.shaderInt64 == VK_TRUE,
          .int16 = core.features.shaderInt16 == VK_TRUE,
          .int8 = features.shaderInt8 == VK_TRUE,
          .dot4 = dot.shaderIntegerDotProduct == VK_TRUE};
}

bool has_extension(VkPhysicalDevice device, const std::string& extension) {
  return std::ranges::any_of(extensions(device), [&](const VkExtensionProperties& properties) {
    return extension == properties.extensionName;
  });
}

bool has_buffer_addresses(VkPhysicalDevice device) {
  VkPhysicalDeviceVulkan12Features features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceFeatures2 core{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features};
  vkGetPhysicalDeviceFeatures2(device, &core);
  // Shaders compute addresses in 64 bits.
  return features.bufferDeviceAddress == VK_TRUE && core.features.shaderInt64 == VK_TRUE;
}

bool has_core_clock(VkPhysicalDevice device) {
  if (!has_extension(device, VK_KHR_SHADER_CLOCK_EXTENSION_NAME)) return false;
  VkPhysicalDeviceShaderClockFeaturesKHR features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR};
  VkPhysicalDeviceFeatures2 core{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features};
  vkGetPhysicalDeviceFeatures2(device, &core);
  return features.shaderSubgroupClock == VK_TRUE;
}

DeviceInfo describe(VkPhysicalDevice device, bool addresses) {
  const Properties properties(device);
  const VkPhysicalDeviceProperties& core = properties.core.properties;
  DeviceInfo info;
  info.api = Api::vulkan;
  info.type = type(core.deviceType);
  info.name = core.deviceName;
  info.platform = properties.driver.driverName;
  info.driver = properties.driver.driverName;
  info.driver_version = properties.driver.driverInfo;
  if (info.driver_version.empty()) info.driver_version = version_text(core.driverVersion);
  info.api_version = version_text(core.apiVersion);
  std::array<std::uint8_t, 16> uuid{};
  std::memcpy(uuid.data(), properties.id.deviceUUID, uuid.size());
  info.uuid = uuid_text(uuid);
  if (has_extension(device, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME)) {
    info.pci =
        pci_text(properties.pci.pciDomain, properties.pci.pciBus, properties.pci.pciDevice, properties.pci.pciFunction);
  }
  info.compute_units = properties.nvidia.shaderSMCount;
  if (properties.amd.shaderEngineCount != 0) {
    info.compute_units = properties.amd.shaderEngineCount * properties.amd.shaderArraysPerEngineCount *
                         properties.amd.computeUnitsPerShaderArray;
  }
  info.memory_bytes = device_memory_bytes(device);
  info.unified_memory = info.type != DeviceType::discrete;
  set_largest_buffer(info, properties, addresses);
  info.largest_group_size = core.limits.maxComputeWorkGroupInvocations;
  info.bound_bytes = core.limits.maxStorageBufferRange;
  info.constant_bytes = core.limits.maxUniformBufferRange >= uniform_block_bytes ? uniform_block_bytes : 0;
  info.texel_bytes = std::uint64_t{core.limits.maxTexelBufferElements} * 4;
  info.local_bytes = core.limits.maxComputeSharedMemorySize;
  info.timer_step_ns = core.limits.timestampPeriod;
  info.missing_types = missing_types(device);
  if (!has_dot4_instruction(device)) info.emulated_types.insert("dot4");
  info.core_clock = has_core_clock(device);
  info.memory_kinds = memory_kinds(device);
  return info;
}

std::vector<DeviceInfo> list() {
  const Instance instance;
  std::vector<DeviceInfo> infos;
  for (VkPhysicalDevice device : instance.physical_devices())
    infos.push_back(describe(device, has_buffer_addresses(device)));
  return infos;
}

}  // namespace sonde::device::vulkan
