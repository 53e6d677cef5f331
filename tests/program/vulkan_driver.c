/* A Vulkan driver that passes everything on to another one (REAL) and does what FAULT says while it makes an instance
 * or is asked for its devices. With LAYER, a layer that does so while an instance is made. */
#include <vulkan/vk_icd.h>
#include <vulkan/vk_layer.h>

#include "fault.h"

static PFN_vkCreateInstance real_create;
static PFN_vkEnumeratePhysicalDevices real_devices;

static VKAPI_ATTR VkResult VKAPI_CALL create(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                             VkInstance* instance) {
  apply_fault();
  if (fault("refuses")) return VK_ERROR_INCOMPATIBLE_DRIVER;
  return real_create(info, allocator, instance);
}

static VKAPI_ATTR VkResult VKAPI_CALL devices(VkInstance instance, uint32_t* count, VkPhysicalDevice* ids) {
  if (fault("garbage count")) {
    *count = 0x7ffffff0u;
    return VK_SUCCESS;
  }
  if (!fault("null")) return real_devices(instance, count, ids);
  *count = 1;
  if (ids != NULL) ids[0] = VK_NULL_HANDLE;
  return VK_SUCCESS;
}

static PFN_vkVoidFunction changed(const char* name, PFN_vkVoidFunction function) {
  if (strcmp(name, "vkCreateInstance") == 0) {
    real_create = (PFN_vkCreateInstance)function;
    return (PFN_vkVoidFunction)create;
  }
  if (strcmp(name, "vkEnumeratePhysicalDevices") == 0 && function != NULL) {
    real_devices = (PFN_vkEnumeratePhysicalDevices)function;
    return (PFN_vkVoidFunction)devices;
  }
  return function;
}

#ifdef LAYER
static VKAPI_ATTR VkResult VKAPI_CALL create_below(const VkInstanceCreateInfo* info,
                                                   const VkAllocationCallbacks* allocator, VkInstance* instance) {
  (void)info, (void)allocator, (void)instance;
  apply_fault();
  return VK_ERROR_INITIALIZATION_FAILED;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL layer_function(VkInstance instance, const char* name) {
  (void)instance, (void)changed;
  if (strcmp(name, "vkCreateInstance") == 0) return (PFN_vkVoidFunction)create_below;
  return strcmp(name, "vkGetInstanceProcAddr") == 0 ? (PFN_vkVoidFunction)layer_function : NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* wanted) {
  wanted->pfnGetInstanceProcAddr = layer_function;
  wanted->pfnGetDeviceProcAddr = NULL;
  wanted->pfnGetPhysicalDeviceProcAddr = NULL;
  return VK_SUCCESS;
}
#elif !defined(WITHOUT_ENTRY)
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char* name) {
  PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)dlsym(real(), "vk_icdGetInstanceProcAddr");
  return changed(name, get(instance, name));
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char* name) {
  PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)dlsym(real(), "vk_icdGetPhysicalDeviceProcAddr");
  return get(instance, name);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version) {
  VkResult (*negotiate)(uint32_t*) = (VkResult(*)(uint32_t*))dlsym(real(), "vk_icdNegotiateLoaderICDInterfaceVersion");
  return negotiate(version);
}
#endif
