#include "device/vulkan/physical_device.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "device/error.hpp"
#include "device/vulkan/handle.hpp"
#include "device/vulkan/memory.hpp"
#include "device/vulkan/vulkan.hpp"
#include "os/library.hpp"

namespace sonde::device::vulkan {
namespace {

constexpr const char* no_driver =
    "no Vulkan driver found a device; install the GPU's (AMD, Intel and the CPU: mesa-vulkan-drivers, NVIDIA: its "
    "driver's Vulkan part)";

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

/// The structures that one vkGetPhysicalDeviceProperties2 fills. They are chained in the constructor, as they must not
/// move afterwards.
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
  const auto need = [&missing](const char* type, VkBool32 has, const char* feature) {
    if (has == VK_FALSE) missing[type] = {.reason = std::string("the driver has no ") + feature};
  };
  need("fp64", features.float64, "shaderFloat64");
  need("fp16", features.float16, "shaderFloat16");
  need("int64", features.int64, "shaderInt64");
  need("int16", features.int16, "shaderInt16");
  need("int8", features.int8, "shaderInt8");
  need("dot4", features.dot4, "VK_KHR_shader_integer_dot_product with shaderIntegerDotProduct");
  // The extension has only conversions and dot products, whose rounding is the driver's own: no result can be proved.
  const bool bf16 = has_extension(device, "VK_KHR_shader_bfloat16");
  missing["bf16"] = {.reason = bf16 ? "VK_KHR_shader_bfloat16 has no additions and multiplications of bf16, but "
                                      "conversions, dot products and matrices only"
                                    : "the driver has no VK_KHR_shader_bfloat16"};
  return missing;
}

bool has_dot4_instruction(VkPhysicalDevice device) {
  if (!has_extension(device, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME)) return false;
  return extension_properties<VkPhysicalDeviceShaderIntegerDotProductPropertiesKHR>(
             device, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES_KHR)
             .integerDotProduct4x8BitPackedSignedAccelerated == VK_TRUE;
}

/// The features of one structure, and in `core` those of Vulkan 1.0; `type` is the structure's own.
template <typename Features>
Features features_of(VkPhysicalDevice device, VkStructureType type, VkPhysicalDeviceFeatures& core) {
  Features features{};
  features.sType = type;
  VkPhysicalDeviceFeatures2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features};
  vkGetPhysicalDeviceFeatures2(device, &all);
  core = all.features;
  return features;
}

VkPhysicalDeviceVulkan12Features vulkan_1_2_features(VkPhysicalDevice device, VkPhysicalDeviceFeatures& core) {
  return features_of<VkPhysicalDeviceVulkan12Features>(device, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                       core);
}

}  // namespace

Instance::Instance() {
  if (volkInitialize() != VK_SUCCESS) {
    throw Unsupported(loader_problem("Vulkan", "libvulkan1", os::Library(os::vulkan_loader)));
  }
  if (volkGetInstanceVersion() < VK_API_VERSION_1_2) {
    throw Unsupported("the Vulkan loader is older than Vulkan 1.2; install a newer one " +
                      os::loader_package("libvulkan1"));
  }
  VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pApplicationName = "sonde";
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo create{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  create.pApplicationInfo = &application;
  const VkResult result = vkCreateInstance(&create, nullptr, &instance_);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) throw Unsupported(no_driver);
  check(result, "vkCreateInstance");
  volkLoadInstanceOnly(instance_);
}

Instance::~Instance() {
  if (instance_ != VK_NULL_HANDLE && !is_abandoned) vkDestroyInstance(instance_, nullptr);
}

std::vector<VkPhysicalDevice> Instance::physical_devices() const {
  std::uint32_t count = 0;
  check(vkEnumeratePhysicalDevices(instance_, &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> all(count);
  check(vkEnumeratePhysicalDevices(instance_, &count, all.data()), "vkEnumeratePhysicalDevices");
  std::erase_if(all, [](VkPhysicalDevice device) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device, &properties);
    return properties.apiVersion < VK_API_VERSION_1_2;
  });
  if (all.empty()) throw Unsupported(no_driver);
  return all;
}

NumberFeatures number_features(VkPhysicalDevice device) {
  VkPhysicalDeviceFeatures core;
  const auto features = vulkan_1_2_features(device, core);
  NumberFeatures numbers{.float64 = core.shaderFloat64,
                         .float16 = features.shaderFloat16,
                         .int64 = core.shaderInt64,
                         .int16 = core.shaderInt16,
                         .int8 = features.shaderInt8};
  if (has_extension(device, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME)) {
    numbers.dot4 = features_of<VkPhysicalDeviceShaderIntegerDotProductFeaturesKHR>(
                       device, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES_KHR, core)
                       .shaderIntegerDotProduct;
  }
  return numbers;
}

bool has_extension(VkPhysicalDevice device, const std::string& extension) {
  return std::ranges::any_of(extensions(device), [&](const VkExtensionProperties& properties) {
    return extension == properties.extensionName;
  });
}

bool has_buffer_addresses(VkPhysicalDevice device) {
  VkPhysicalDeviceFeatures core;
  const VkBool32 addresses = vulkan_1_2_features(device, core).bufferDeviceAddress;
  // Shaders compute addresses in 64 bits.
  return addresses == VK_TRUE && core.shaderInt64 == VK_TRUE;
}

bool has_core_clock(VkPhysicalDevice device) {
  VkPhysicalDeviceFeatures core;
  return has_extension(device, VK_KHR_SHADER_CLOCK_EXTENSION_NAME) &&
         features_of<VkPhysicalDeviceShaderClockFeaturesKHR>(
             device, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR, core)
                 .shaderSubgroupClock == VK_TRUE;
}

bool has_listings(VkPhysicalDevice device) {
  VkPhysicalDeviceFeatures core;
  return has_extension(device, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME) &&
         features_of<VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR>(
             device, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR, core)
                 .pipelineExecutableInfo == VK_TRUE;
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
  for (VkPhysicalDevice device : instance.physical_devices()) {
    infos.push_back(describe(device, has_buffer_addresses(device)));
  }
  return infos;
}

}  // namespace sonde::device::vulkan
