// A Vulkan layer (VK_LAYER_PATH, VK_INSTANCE_LAYERS) for the tests that makes the driver below it fail as SONDE_FAULTS
// says (faults.hpp). It has these effects beside those of every function:
//   garble      one byte is wrong: for vkCmdCopyBuffer in the source or target if the CPU sees it, for vkWaitForFences
//               and vkWaitSemaphores in the memory that was mapped or imported last
//   still, backwards, wrap
//               vkGetQueryPoolResults: the clock stands still, runs backwards, or has 32 bits
// It supports one device of one instance at a time.

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <type_traits>

#include "faults.hpp"

namespace {

PFN_vkGetInstanceProcAddr below_instance = nullptr;
PFN_vkGetDeviceProcAddr below_device = nullptr;
faults::AfterWait after_wait;

/// The name of a function, as an argument of a template.
template <std::size_t length>
struct Name {
  char text[length];
  constexpr Name(const char (&name)[length]) { std::copy_n(name, length, text); }
};

/// Calls the driver's function; specializations apply the effect.
template <Name name, typename Function, typename... Arguments>
auto call_driver(Function below, std::string_view, Arguments... arguments) {
  return below(arguments...);
}

/// Stands before one function of the driver.
template <Name name, typename Function>
struct Hook;

template <Name name, typename Result, typename... Arguments>
struct Hook<name, Result(VKAPI_PTR*)(Arguments...)> {
  static inline Result(VKAPI_PTR* below)(Arguments...) = nullptr;

  static VKAPI_ATTR Result VKAPI_CALL call(Arguments... arguments) {
    const std::string effect = faults::effect_now(name.text);
    faults::apply_general(name.text, effect);
    if constexpr (std::is_same_v<Result, VkResult>) {
      if (faults::is_number(effect)) {
        // A lost device is no longer at work; after VK_TIMEOUT it may still be.
        if (faults::waits(name.text) && std::stoi(effect) < 0) (void)below(arguments...);
        return static_cast<VkResult>(std::stoi(effect));
      }
    }
    return call_driver<name>(below, effect, arguments...);
  }
};

/// Memory as the CPU sees it, and the buffers in it.
struct Mapped {
  std::byte* bytes = nullptr;
  VkDeviceSize size = 0;
};
struct Bound {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;
};
std::map<VkDeviceMemory, Mapped> mapped;
std::map<VkDeviceMemory, VkDeviceSize> sizes;
std::map<VkBuffer, Bound> bound;
VkDeviceMemory mapped_last = VK_NULL_HANDLE;

void map(VkDeviceMemory memory, void* bytes) {
  mapped[memory] = {static_cast<std::byte*>(bytes), sizes[memory]};
  mapped_last = memory;
}

std::byte* seen_by_cpu(VkBuffer buffer, VkDeviceSize offset) {
  const Bound where = bound[buffer];
  const auto memory = mapped.find(where.memory);
  return memory == mapped.end() ? nullptr : memory->second.bytes + where.offset + offset;
}

template <>
auto call_driver<"vkAllocateMemory">(PFN_vkAllocateMemory below, std::string_view, VkDevice device,
                                     const VkMemoryAllocateInfo* info, const VkAllocationCallbacks* callbacks,
                                     VkDeviceMemory* memory) {
  const VkResult result = below(device, info, callbacks, memory);
  if (result != VK_SUCCESS) return result;
  sizes[*memory] = info->allocationSize;
  for (const auto* next = static_cast<const VkBaseInStructure*>(info->pNext); next != nullptr; next = next->pNext) {
    if (next->sType != VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT) continue;
    map(*memory, reinterpret_cast<const VkImportMemoryHostPointerInfoEXT*>(next)->pHostPointer);
  }
  return result;
}

template <>
auto call_driver<"vkFreeMemory">(PFN_vkFreeMemory below, std::string_view, VkDevice device, VkDeviceMemory memory,
                                 const VkAllocationCallbacks* callbacks) {
  mapped.erase(memory);
  below(device, memory, callbacks);
}

template <>
auto call_driver<"vkMapMemory">(PFN_vkMapMemory below, std::string_view, VkDevice device, VkDeviceMemory memory,
                                VkDeviceSize offset, VkDeviceSize size, VkMemoryMapFlags flags, void** bytes) {
  const VkResult result = below(device, memory, offset, size, flags, bytes);
  if (result == VK_SUCCESS) map(memory, *bytes);
  return result;
}

template <>
auto call_driver<"vkBindBufferMemory">(PFN_vkBindBufferMemory below, std::string_view, VkDevice device, VkBuffer buffer,
                                       VkDeviceMemory memory, VkDeviceSize offset) {
  bound[buffer] = {memory, offset};
  return below(device, buffer, memory, offset);
}

template <>
auto call_driver<"vkCmdCopyBuffer">(PFN_vkCmdCopyBuffer below, std::string_view effect, VkCommandBuffer commands,
                                    VkBuffer from, VkBuffer into, std::uint32_t count, const VkBufferCopy* regions) {
  below(commands, from, into, count, regions);
  if (effect != "garble") return;
  if (std::byte* const goes = seen_by_cpu(from, regions->srcOffset)) faults::garble(goes, regions->size);
  if (std::byte* const comes = seen_by_cpu(into, regions->dstOffset)) {
    after_wait.add([comes, bytes = regions->size] { faults::garble(comes, bytes); });
  }
}

VkResult waited(std::string_view effect, VkResult result) {
  if (result != VK_SUCCESS) return result;
  after_wait.run();
  const auto last = mapped.find(mapped_last);
  if (effect == "garble" && last != mapped.end()) faults::garble(last->second.bytes, last->second.size);
  return result;
}

template <>
auto call_driver<"vkWaitForFences">(PFN_vkWaitForFences below, std::string_view effect, VkDevice device,
                                    std::uint32_t count, const VkFence* fences, VkBool32 all, std::uint64_t timeout) {
  return waited(effect, below(device, count, fences, all, timeout));
}

template <>
auto call_driver<"vkWaitSemaphores">(PFN_vkWaitSemaphores below, std::string_view effect, VkDevice device,
                                     const VkSemaphoreWaitInfo* info, std::uint64_t timeout) {
  return waited(effect, below(device, info, timeout));
}

template <>
auto call_driver<"vkGetQueryPoolResults">(PFN_vkGetQueryPoolResults below, std::string_view effect, VkDevice device,
                                          VkQueryPool pool, std::uint32_t first, std::uint32_t count, std::size_t bytes,
                                          void* into, VkDeviceSize stride, VkQueryResultFlags flags) {
  const VkResult result = below(device, pool, first, count, bytes, into, stride, flags);
  for (std::uint32_t query = 0; result == VK_SUCCESS && query < count; ++query) {
    auto* const at = static_cast<std::byte*>(into) + query * stride;
    std::uint64_t time = 0;
    std::memcpy(&time, at, sizeof time);
    time = faults::wrong_time(effect, time);
    std::memcpy(at, &time, sizeof time);
  }
  return result;
}

/// The loader's link to the next layer; `Info` is a VkLayerInstanceCreateInfo or a VkLayerDeviceCreateInfo.
template <typename Info>
Info* link_of(const void* chain, VkStructureType type) {
  for (const auto* next = static_cast<const VkBaseInStructure*>(chain); next != nullptr; next = next->pNext) {
    auto* const info = const_cast<Info*>(reinterpret_cast<const Info*>(next));
    if (next->sType == type && info->function == VK_LAYER_LINK_INFO) return info;
  }
  std::abort();
}

template <>
auto call_driver<"vkCreateInstance">(PFN_vkCreateInstance, std::string_view, const VkInstanceCreateInfo* info,
                                     const VkAllocationCallbacks* callbacks, VkInstance* instance) {
  auto* const link = link_of<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  below_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  return reinterpret_cast<PFN_vkCreateInstance>(below_instance(VK_NULL_HANDLE, "vkCreateInstance"))(info, callbacks,
                                                                                                    instance);
}

template <>
auto call_driver<"vkCreateDevice">(PFN_vkCreateDevice below, std::string_view, VkPhysicalDevice physical,
                                   const VkDeviceCreateInfo* info, const VkAllocationCallbacks* callbacks,
                                   VkDevice* device) {
  auto* const link = link_of<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  below_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  return below(physical, info, callbacks, device);
}

template <Name name, typename Function>
PFN_vkVoidFunction hooked(PFN_vkVoidFunction below) {
  using Own = Hook<name, Function>;
  Own::below = reinterpret_cast<Function>(below);
  return reinterpret_cast<PFN_vkVoidFunction>(&Own::call);
}

/// The hook for the driver's function of this name, or `below`, that function itself, where there is no hook.
PFN_vkVoidFunction before(PFN_vkVoidFunction below, std::string_view name) {
#define HOOK(function) \
  if (name == #function) return hooked<#function, PFN_##function>(below)
  HOOK(vkAllocateMemory);
  HOOK(vkBindBufferMemory);
  HOOK(vkCmdCopyBuffer);
  HOOK(vkCmdDispatch);
  HOOK(vkCreateBuffer);
  HOOK(vkCreateComputePipelines);
  HOOK(vkCreateDevice);
  HOOK(vkCreateInstance);
  HOOK(vkCreateQueryPool);
  HOOK(vkCreateShaderModule);
  HOOK(vkFreeMemory);
  HOOK(vkGetQueryPoolResults);
  HOOK(vkMapMemory);
  HOOK(vkQueueSubmit);
  HOOK(vkQueueWaitIdle);
  HOOK(vkWaitForFences);
  HOOK(vkWaitSemaphores);
#undef HOOK
  return below;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char* name) {
  return before(below_device(device, name), name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance, const char* name) {
  if (std::string_view(name) == "vkGetDeviceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(&device_function);
  return before(instance != VK_NULL_HANDLE ? below_instance(instance, name) : nullptr, name);
}

}  // namespace

extern "C" VK_LAYER_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* version) {
  faults::begin("vulkan");
  version->loaderLayerInterfaceVersion = std::min(version->loaderLayerInterfaceVersion, 2u);
  version->pfnGetInstanceProcAddr = &instance_function;
  version->pfnGetDeviceProcAddr = &device_function;
  version->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
