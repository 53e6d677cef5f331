#include <algorithm>
#include <optional>

#include "device/listed.hpp"
#include "device/opencl/device.hpp"
#include "device/opencl/opencl.hpp"

namespace sonde::device::opencl {
namespace {

// These queries of extensions are written out because older headers lack them.
constexpr cl_device_info uuid_query = 0x106A;               // CL_DEVICE_UUID_KHR
constexpr cl_device_info pci_bus_info_query = 0x410F;       // CL_DEVICE_PCI_BUS_INFO_KHR
constexpr cl_device_info pci_bus_nvidia_query = 0x4008;     // CL_DEVICE_PCI_BUS_ID_NV
constexpr cl_device_info pci_slot_nvidia_query = 0x4009;    // CL_DEVICE_PCI_SLOT_ID_NV
constexpr cl_device_info pci_domain_nvidia_query = 0x400A;  // CL_DEVICE_PCI_DOMAIN_ID_NV
constexpr cl_device_info board_name_amd_query = 0x4038;     // CL_DEVICE_BOARD_NAME_AMD
constexpr cl_device_info kernel_clock_query = 0x1076;       // CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR
constexpr cl_bitfield kernel_clock_of_a_core = 0b110;  // the clock of a sub-group or a work-group, not of the device

constexpr const char* integer_dot_product = "cl_khr_integer_dot_product";

std::size_t without_id = 0;

template <typename Value>
std::optional<Value> query(const cl::Device& device, cl_device_info what) {
  Value value{};
  if (::clGetDeviceInfo(device(), what, sizeof value, &value, nullptr) != CL_SUCCESS) return std::nullopt;
  return value;
}

std::string query_text(const cl::Device& device, cl_device_info what) {
  std::size_t size = 0;
  if (::clGetDeviceInfo(device(), what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return "";
  std::string text(size, '\0');
  if (::clGetDeviceInfo(device(), what, size, text.data(), nullptr) != CL_SUCCESS) return "";
  text.resize(text.find_last_not_of(std::string("\0 ", 2)) + 1);
  return text;
}

bool has_extension(const cl::Device& device, const std::string& extension) {
  return (" " + query_text(device, CL_DEVICE_EXTENSIONS) + " ").find(" " + extension + " ") != std::string::npos;
}

std::string pci(const cl::Device& device) {
  if (has_extension(device, "cl_khr_pci_bus_info")) {
    const auto address = query<std::array<cl_uint, 4>>(device, pci_bus_info_query);
    return address ? pci_text((*address)[0], (*address)[1], (*address)[2], (*address)[3]) : "";
  }
  if (has_extension(device, "cl_nv_device_attribute_query")) {
    const auto bus = query<cl_uint>(device, pci_bus_nvidia_query);
    const auto slot = query<cl_uint>(device, pci_slot_nvidia_query);
    const cl_uint domain = query<cl_uint>(device, pci_domain_nvidia_query).value_or(0);
    return bus && slot ? pci_text(domain, *bus, *slot >> 3, *slot & 7) : "";
  }
  return "";
}

DeviceType type(const cl::Device& device, bool unified_memory) {
  const auto kind = device.getInfo<CL_DEVICE_TYPE>();
  if ((kind & CL_DEVICE_TYPE_GPU) != 0) return unified_memory ? DeviceType::integrated : DeviceType::discrete;
  return (kind & CL_DEVICE_TYPE_CPU) != 0 ? DeviceType::cpu : DeviceType::discrete;
}

std::map<std::string, MissingType> missing_types(const cl::Device& device, const std::string& platform) {
  std::map<std::string, MissingType> missing;
  if (query<cl_ulong>(device, CL_DEVICE_DOUBLE_FP_CONFIG).value_or(0) == 0 && !has_extension(device, "cl_khr_fp64")) {
    missing["fp64"] = {.reason = "the driver has no cl_khr_fp64"};
  }
  // NVIDIA's compiler is known to accept halves although its driver does not state them.
  const bool nvidia = platform == "NVIDIA CUDA";
  if (!has_extension(device, "cl_khr_fp16")) {
    missing["fp16"] = {.reason = nvidia ? "NVIDIA's OpenCL driver does not offer halves (it has no cl_khr_fp16); "
                                          "--api vulkan measures them on this GPU"
                                        : "the driver has no cl_khr_fp16",
                       .worth_a_try = nvidia};
  }
  missing["bf16"] = {.reason = "no extension of OpenCL computes in bf16; there are conversions only"};
  if (!has_extension(device, integer_dot_product)) {
    missing["dot4"] = {.reason = "the driver has no cl_khr_integer_dot_product"};
  }
  return missing;
}

std::string advice(cl_int code) {
  switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_INVALID_BUFFER_SIZE:
    case CL_OUT_OF_HOST_MEMORY: return "close what else uses the memory, or ask for smaller --sizes";
    case CL_OUT_OF_RESOURCES:
      return "close what else uses the device and run again; the system's log may say more, as that a watchdog ended "
             "work that took too long";
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_INVALID_CONTEXT:
    case CL_INVALID_COMMAND_QUEUE:
      return "the driver has lost the device, and the system's log may say why; run again, and where it comes back, "
             "leave out this probe or try another driver";
    default: return "run again; where it comes back, a newer or another driver may do better";
  }
}

/// The reason for which drivers that are installed show no device.
std::string without_a_device(const std::vector<cl::Platform>& platforms) {
  std::string names;
  for (const cl::Platform& platform : platforms) {
    std::string name;
    if (platform.getInfo(CL_PLATFORM_NAME, &name) == CL_SUCCESS) names += (names.empty() ? "" : ", ") + name;
  }
  return "the OpenCL drivers that are installed (" + names + ") show no device here";
}

}  // namespace

std::size_t devices_without_id() { return without_id; }

std::vector<cl::Device> devices() {
  load();
  without_id = 0;
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get(&platforms);
  } catch (const cl::Error&) {
    // The loader answers CL_PLATFORM_NOT_FOUND_KHR when no driver is installed.
  }
  std::vector<cl::Device> found;
  for (const cl::Platform& platform : platforms) {
    cl_uint count = 0;
    // A driver may have no device of its own.
    if (::clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) continue;
    check_count(count);
    std::vector<cl_device_id> here(count);
    if (::clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, count, here.data(), nullptr) != CL_SUCCESS) continue;
    // One that counts more devices than it has leaves the others' ids empty.
    without_id += std::erase(here, nullptr);
    for (cl_device_id device : here) {
      const auto is_it = [device](const cl::Device& one) { return one() == device; };
      if (std::ranges::none_of(found, is_it)) found.emplace_back(device, true);
    }
  }
  if (found.empty() && !platforms.empty()) throw NoDevice(without_a_device(platforms));
  if (found.empty()) {
    throw NoDevice(
        "no OpenCL driver found a device; install the GPU's (NVIDIA: its driver's OpenCL part, AMD: rocm-opencl-icd "
        "or mesa-opencl-icd, Intel: intel-opencl-icd), or pocl-opencl-icd to measure the CPU");
  }
  return found;
}

DeviceInfo describe(const cl::Device& device) {
  DeviceInfo info;
  info.api = Api::opencl;
  info.unified_memory = query<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY).value_or(CL_FALSE) != CL_FALSE;
  info.type = type(device, info.unified_memory);
  const bool names_board = has_extension(device, "cl_amd_device_attribute_query");
  info.name = names_board ? query_text(device, board_name_amd_query) : "";
  if (info.name.empty()) info.name = query_text(device, CL_DEVICE_NAME);
  info.platform = cl::Platform(device.getInfo<CL_DEVICE_PLATFORM>()).getInfo<CL_PLATFORM_NAME>();
  // This names the driver's author, not the chip's maker; PoCL's platform name is its long one.
  info.driver = info.platform == "Portable Computing Language" ? "PoCL" : info.platform;
  info.driver_version = query_text(device, CL_DRIVER_VERSION);
  info.api_version = query_text(device, CL_DEVICE_VERSION);
  if (has_extension(device, "cl_khr_device_uuid")) {
    if (const auto bytes = query<std::array<unsigned char, 16>>(device, uuid_query)) info.uuid = uuid_text(*bytes);
  }
  info.pci = pci(device);
  info.compute_units = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
  info.memory_bytes = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
  info.largest_buffer_bytes = device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
  info.largest_buffer_reason = "the driver's CL_DEVICE_MAX_MEM_ALLOC_SIZE";
  info.line_bytes = device.getInfo<CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE>();
  // The level is unknown: NVIDIA states the sum of all first-level caches, AMD the size of one.
  if (const cl_ulong bytes = device.getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>(); bytes > 0) {
    info.stated_caches.push_back({.level = 0, .bytes = bytes, .source = "CL_DEVICE_GLOBAL_MEM_CACHE_SIZE"});
  }
  info.largest_group_size = static_cast<std::uint32_t>(device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>());
  info.constant_bytes = device.getInfo<CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE>();
  if (device.getInfo<CL_DEVICE_IMAGE_SUPPORT>() == CL_TRUE) {
    info.texel_bytes = std::uint64_t{query<std::size_t>(device, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE).value_or(0)} * 4;
  }
  info.local_bytes = device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
  // Mesa's drivers silently end longer loops on llvmpipe, and they do not state what they run on. Elsewhere fast
  // dispatches would otherwise be too short for other work that is timed beside them.
  if (info.driver != "rusticl" && info.driver != "Clover") info.most_trips = 1u << 30;
  info.widest_load_bytes = sizeof(cl_uint16);  // compilers cut it to what the device has
  info.timer_step_ns = static_cast<double>(device.getInfo<CL_DEVICE_PROFILING_TIMER_RESOLUTION>());
  info.clock_mhz = query<cl_uint>(device, CL_DEVICE_MAX_CLOCK_FREQUENCY).value_or(0);
  info.missing_types = missing_types(device, info.platform);
  if (has_extension(device, integer_dot_product)) {
    const auto accelerated = query<cl_device_integer_dot_product_acceleration_properties_khr>(
        device, CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR);
    if (accelerated && accelerated->signed_accelerated == CL_FALSE) info.emulated_types.insert("dot4");
  }
  info.core_clock = has_extension(device, "cl_khr_kernel_clock") &&
                    (query<cl_bitfield>(device, kernel_clock_query).value_or(0) & kernel_clock_of_a_core) != 0;
  info.memory_kinds = memory_kinds(device);
  return info;
}

std::vector<DeviceInfo> list() {
  return translated([] {
    std::vector<DeviceInfo> infos;
    for (const cl::Device& device : devices()) infos.push_back(describe(device));
    return infos;
  });
}

std::string error_name(cl_int code) {
  switch (code) {
    case CL_DEVICE_NOT_FOUND: return "CL_DEVICE_NOT_FOUND";
    case CL_DEVICE_NOT_AVAILABLE: return "CL_DEVICE_NOT_AVAILABLE";
    case CL_COMPILER_NOT_AVAILABLE: return "CL_COMPILER_NOT_AVAILABLE";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE: return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
    case CL_OUT_OF_RESOURCES: return "CL_OUT_OF_RESOURCES";
    case CL_OUT_OF_HOST_MEMORY: return "CL_OUT_OF_HOST_MEMORY";
    case CL_PROFILING_INFO_NOT_AVAILABLE: return "CL_PROFILING_INFO_NOT_AVAILABLE";
    case CL_BUILD_PROGRAM_FAILURE: return "CL_BUILD_PROGRAM_FAILURE";
    case CL_INVALID_VALUE: return "CL_INVALID_VALUE";
    case CL_INVALID_BUFFER_SIZE: return "CL_INVALID_BUFFER_SIZE";
    case CL_INVALID_WORK_GROUP_SIZE: return "CL_INVALID_WORK_GROUP_SIZE";
    case CL_INVALID_KERNEL_ARGS: return "CL_INVALID_KERNEL_ARGS";
    case CL_MAP_FAILURE: return "CL_MAP_FAILURE";
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: return "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST";
    case CL_INVALID_CONTEXT: return "CL_INVALID_CONTEXT";
    case CL_INVALID_COMMAND_QUEUE: return "CL_INVALID_COMMAND_QUEUE";
    case CL_INVALID_MEM_OBJECT: return "CL_INVALID_MEM_OBJECT";
    case CL_INVALID_PROGRAM: return "CL_INVALID_PROGRAM";
    case CL_INVALID_KERNEL_NAME: return "CL_INVALID_KERNEL_NAME";
    case CL_INVALID_KERNEL: return "CL_INVALID_KERNEL";
    case CL_INVALID_EVENT: return "CL_INVALID_EVENT";
    case CL_INVALID_OPERATION: return "CL_INVALID_OPERATION";
    default: return "OpenCL error " + std::to_string(code);
  }
}

std::string failure_text(const char* call, cl_int code) {
  return std::string(call) + " failed with " + error_name(code) + "; " + advice(code);
}

void rethrow(const cl::Error& failure) {
  const cl_int code = failure.err();
  const std::string text = failure_text(failure.what(), code);
  switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_INVALID_BUFFER_SIZE: throw Unsupported("the driver refused the allocation: " + text);
    // These errors concern objects that existed before: the driver has thrown them away.
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_INVALID_CONTEXT:
    case CL_INVALID_COMMAND_QUEUE: throw Lost(text);
    default: throw Error(text);
  }
}

}  // namespace sonde::device::opencl
