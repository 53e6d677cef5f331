#include "device/vulkan/handle.hpp"

#include <string>

#include "device/error.hpp"

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

/// The part of an error message that says what a user can do.
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

}  // namespace sonde::device::vulkan
