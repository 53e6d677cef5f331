#include "device/vulkan/objects.hpp"

#include <algorithm>
#include <utility>

#include "device/listed.hpp"
#include "device/vulkan/memory.hpp"
#include "device/vulkan/queue.hpp"
#include "device/vulkan/vulkan.hpp"
#include "os/library.hpp"

namespace sonde::device::vulkan {
namespace {

std::string result_name(VkResult result) {
  switch (result) {
    case VK_NOT_READY: return "VK_NOT_READY";
    case VK_TIMEOUT: return "VK_TIMEOUT";
    case VK_ERROR_OUT_OF_HOST_MEMORY: return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED: return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_DEVICE_LOST: return "VK_ERROR_DEVICE_LOST";
    case VK_ERROR_INCOMPATIBLE_DRIVER: return "VK_ERROR_INCOMPATIBLE_DRIVER";
    case VK_ERROR_MEMORY_MAP_FAILED: return "VK_ERROR_MEMORY_MAP_FAILED";
    case VK_ERROR_LAYER_NOT_PRESENT: return "VK_ERROR_LAYER_NOT_PRESENT";
    case VK_ERROR_EXTENSION_NOT_PRESENT: return "VK_ERROR_EXTENSION_NOT_PRESENT";
    case VK_ERROR_FEATURE_NOT_PRESENT: return "VK_ERROR_FEATURE_NOT_PRESENT";
    case VK_ERROR_TOO_MANY_OBJECTS: return "VK_ERROR_TOO_MANY_OBJECTS";
    case VK_ERROR_FRAGMENTED_POOL: return "VK_ERROR_FRAGMENTED_POOL";
    case VK_ERROR_OUT_OF_POOL_MEMORY: return "VK_ERROR_OUT_OF_POOL_MEMORY";
    case VK_ERROR_INVALID_EXTERNAL_HANDLE: return "VK_ERROR_INVALID_EXTERNAL_HANDLE";
    case VK_ERROR_UNKNOWN: return "VK_ERROR_UNKNOWN";
    default: return "Vulkan result " + std::to_string(result);
  }
}

bool ran_out_of_memory(VkResult result) {
  return result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY;
}

std::string advice(VkResult result) {
  if (ran_out_of_memory(result)) return "close what else uses the memory, or ask for smaller --sizes";
  switch (result) {
    case VK_TIMEOUT:
      return "the device is still at work, or hangs; run again, and where it comes back, leave out this probe or try "
             "another driver";
    case VK_ERROR_DEVICE_LOST:
      return "the system's log may say why, often that a watchdog ended work that took too long; run again, and where "
             "it comes back, leave out this probe or try another driver";
    default: return "run again; where it comes back, a newer or another driver may do better";
  }
}

std::string failure_text(VkResult result, const char* call) {
  return std::string(call) + " failed with " + result_name(result) + "; " + advice(result);
}

constexpr const char* no_driver =
    "no Vulkan driver found a device; install the GPU's (AMD, Intel and the CPU: mesa-vulkan-drivers, NVIDIA: its "
    "driver's Vulkan part)";

std::string version_text(std::uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version)) + "." +
         std::to_string(VK_API_VERSION_PATCH(version));
}

std::uint64_t device_memory_bytes(VkPhysicalDevice device) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(device, &memory);
  std::uint64_t largest = 0;
  for (const VkMemoryHeap& heap : std::span(memory.memoryHeaps, memory.memoryHeapCount)) {
    if ((heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0) largest = std::max<std::uint64_t>(largest, heap.size);
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
  VkPhysicalDeviceShaderIntegerDotProductPropertiesKHR dot{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES_KHR};

  explicit Properties(VkPhysicalDevice device) {
    const auto chain = [this](auto& next) { next.pNext = std::exchange(core.pNext, &next); };
    chain(id);
    chain(driver);
    chain(allocation);
    VkPhysicalDeviceProperties basic;
    vkGetPhysicalDeviceProperties(device, &basic);
    if (basic.apiVersion >= VK_API_VERSION_1_3) chain(buffer);
    if (has_extension(device, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME)) chain(pci);
    if (has_extension(device, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) chain(nvidia);
    if (has_extension(device, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME)) chain(amd);
    if (has_extension(device, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME)) chain(dot);
    vkGetPhysicalDeviceProperties2(device, &core);
  }
  Properties(const Properties&) = delete;
  Properties& operator=(const Properties&) = delete;
};

void limit_buffers(DeviceInfo& info, std::uint64_t bytes, const char* reason) {
  if (bytes >= info.largest_buffer_bytes) return;
  info.largest_buffer_bytes = bytes;
  info.largest_buffer_reason = reason;
}

std::map<std::string, MissingType> missing_types(VkPhysicalDevice device, const Features& features) {
  const VkPhysicalDeviceFeatures& core = features.core.features;
  std::map<std::string, MissingType> missing;
  const auto need = [&missing](const char* type, VkBool32 has, const char* feature) {
    if (has == VK_FALSE) missing[type] = {.reason = std::string("the driver has no ") + feature};
  };
  need("fp64", core.shaderFloat64, "shaderFloat64");
  need("fp16", features.vulkan_1_2.shaderFloat16, "shaderFloat16");
  need("int64", core.shaderInt64, "shaderInt64");
  need("int16", core.shaderInt16, "shaderInt16");
  need("int8", features.vulkan_1_2.shaderInt8, "shaderInt8");
  need("dot4", features.dot.shaderIntegerDotProduct, "VK_KHR_shader_integer_dot_product with shaderIntegerDotProduct");
  // The extension has only conversions and dot products, whose rounding is the driver's own: no result can be proved.
  const bool bf16 = has_extension(device, "VK_KHR_shader_bfloat16");
  missing["bf16"] = {.reason = bf16 ? "VK_KHR_shader_bfloat16 has no additions and multiplications of bf16, but "
                                      "conversions, dot products and matrices only"
                                    : "the driver has no VK_KHR_shader_bfloat16"};
  return missing;
}

}  // namespace

void check(VkResult result, const char* call) {
  if (result == VK_SUCCESS) return;
  if (result == VK_ERROR_DEVICE_LOST) check_wait(result, call);
  throw Error(failure_text(result, call));
}

void check_room(VkResult result, const char* call) {
  if (ran_out_of_memory(result)) throw Unsupported("the driver refused the allocation: " + failure_text(result, call));
  check(result, call);
}

void check_wait(VkResult result, const char* call) {
  if (result == VK_SUCCESS) return;
  is_abandoned = true;
  throw Lost(failure_text(result, call));
}

Instance::Instance() {
  if (volkInitialize() != VK_SUCCESS) {
    throw Unsupported(loader_problem("Vulkan", "libvulkan1", os::Library(os::vulkan_loader)));
  }
  if (volkGetInstanceVersion() < VK_API_VERSION_1_2) {
    throw Unsupported("the Vulkan loader is older than Vulkan 1.2; install a newer one " +
                      os::loader_package("libvulkan1"));
  }
  const VkApplicationInfo application{
      .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "sonde", .apiVersion = VK_API_VERSION_1_3};
  const VkInstanceCreateInfo create{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
  const VkResult result = vkCreateInstance(&create, nullptr, &instance_);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) throw NoDevice(no_driver);
  check(result, "vkCreateInstance");
  volkLoadInstanceOnly(instance_);
}

Instance::~Instance() {
  if (instance_ != VK_NULL_HANDLE && !is_abandoned) vkDestroyInstance(instance_, nullptr);
}

std::vector<VkPhysicalDevice> Instance::physical_devices() const {
  std::uint32_t count = 0;
  const VkResult counted = vkEnumeratePhysicalDevices(instance_, &count, nullptr);
  // The loader answers so where none of its drivers has a device.
  if (counted == VK_ERROR_INITIALIZATION_FAILED) throw NoDevice(no_driver);
  check(counted, "vkEnumeratePhysicalDevices");
  check_count(count);
  std::vector<VkPhysicalDevice> all(count);
  check(vkEnumeratePhysicalDevices(instance_, &count, all.data()), "vkEnumeratePhysicalDevices");
  all.resize(std::min<std::size_t>(count, all.size()));
  std::erase_if(all, [](VkPhysicalDevice device) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device, &properties);
    return properties.apiVersion < VK_API_VERSION_1_2;
  });
  if (all.empty()) throw NoDevice(no_driver);
  return all;
}

bool has_extension(VkPhysicalDevice device, const std::string& extension) {
  constexpr const char* call = "vkEnumerateDeviceExtensionProperties";
  std::uint32_t count = 0;
  check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr), call);
  std::vector<VkExtensionProperties> all(count);
  check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, all.data()), call);
  return std::ranges::any_of(all, [&](const VkExtensionProperties& one) { return extension == one.extensionName; });
}

Features::Features(VkPhysicalDevice device) {
  core.pNext = &vulkan_1_2;
  const auto chain = [&](const char* extension, auto& features) {
    if (!has_extension(device, extension)) return;
    extensions.push_back(extension);
    features.pNext = std::exchange(vulkan_1_2.pNext, &features);
  };
  chain(VK_KHR_SHADER_CLOCK_EXTENSION_NAME, clock);
  chain(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME, listings);
  chain(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME, dot);
  if (has_extension(device, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) {
    extensions.push_back(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  }
  vkGetPhysicalDeviceFeatures2(device, &core);
}

DeviceInfo describe(VkPhysicalDevice device, bool addresses) {
  const Features features(device);
  const Properties properties(device);
  const VkPhysicalDeviceProperties& core = properties.core.properties;
  DeviceInfo info;
  info.api = Api::vulkan;
  info.type = core.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU ? DeviceType::integrated
              : core.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU          ? DeviceType::cpu
                                                                        : DeviceType::discrete;
  info.name = core.deviceName;
  info.platform = properties.driver.driverName;
  info.driver = properties.driver.driverName;
  info.driver_version = properties.driver.driverInfo;
  if (info.driver_version.empty()) info.driver_version = version_text(core.driverVersion);
  info.api_version = version_text(core.apiVersion);
  info.uuid = uuid_text(std::to_array(properties.id.deviceUUID));
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
  info.largest_buffer_bytes = properties.allocation.maxMemoryAllocationSize;
  info.largest_buffer_reason = "the driver's maxMemoryAllocationSize";
  if (properties.buffer.maxBufferSize != 0)
    limit_buffers(info, properties.buffer.maxBufferSize, "the driver's maxBufferSize");
  if (!addresses) {
    limit_buffers(info, core.limits.maxStorageBufferRange,
                  "the driver's maxStorageBufferRange, as it has no buffer device addresses");
  }
  info.largest_group_size = core.limits.maxComputeWorkGroupInvocations;
  info.bound_bytes = core.limits.maxStorageBufferRange;
  info.constant_bytes = core.limits.maxUniformBufferRange >= uniform_block_bytes ? uniform_block_bytes : 0;
  info.texel_bytes = std::uint64_t{core.limits.maxTexelBufferElements} * 4;
  info.local_bytes = core.limits.maxComputeSharedMemorySize;
  info.timer_step_ns = std::ranges::any_of(copy_families(device), is_timed) ? core.limits.timestampPeriod : 0;
  info.missing_types = missing_types(device, features);
  if (properties.dot.integerDotProduct4x8BitPackedSignedAccelerated == VK_FALSE) info.emulated_types.insert("dot4");
  info.core_clock = features.clock.shaderSubgroupClock == VK_TRUE;
  info.memory_kinds = memory_kinds(device);
  return info;
}

std::vector<DeviceInfo> list() {
  const Instance instance;
  std::vector<DeviceInfo> infos;
  for (VkPhysicalDevice device : instance.physical_devices()) {
    infos.push_back(describe(device, Features(device).has_addresses()));
  }
  return infos;
}

}  // namespace sonde::device::vulkan
