/* An OpenCL driver that passes everything on to another one (REAL) and does what FAULT says while it is asked for its
 * platforms or devices. With LAYER, a layer that does so when it is loaded. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>

#include "fault.h"

#ifdef LAYER
cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t room, void* value, size_t* size) {
  if (what != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  if (value != NULL && room >= sizeof(cl_layer_api_version)) *(cl_layer_api_version*)value = CL_LAYER_API_VERSION_100;
  if (size != NULL) *size = sizeof(cl_layer_api_version);
  return CL_SUCCESS;
}

cl_int CL_API_CALL clInitLayer(cl_uint count, const struct _cl_icd_dispatch* below, cl_uint* mine,
                               const struct _cl_icd_dispatch** above) {
  (void)real;
  apply_fault();
  *mine = count;
  *above = below;
  return CL_SUCCESS;
}
#else

struct _cl_platform_id {
  cl_icd_dispatch* dispatch;
};

static cl_icd_dispatch changed;
static cl_int(CL_API_CALL* real_devices)(cl_platform_id, cl_device_type, cl_uint, cl_device_id*, cl_uint*);

static cl_int CL_API_CALL devices(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id* ids,
                                  cl_uint* count) {
  cl_uint there = 0;
  if (real_devices(platform, type, 0, NULL, &there) != CL_SUCCESS) return CL_DEVICE_NOT_FOUND;
  if (count != NULL) *count = fault("garbage count") ? 0xfffffff0u : fault("null") ? 1 : there;
  if (ids == NULL) return CL_SUCCESS;
  if (fault("null")) {
    ids[0] = NULL;
    return CL_SUCCESS;
  }
  return real_devices(platform, type, room < there ? room : there, ids, NULL);
}

static void* real_function(const char* name) {
  void* (*get)(const char*) = (void* (*)(const char*))dlsym(real(), "clGetExtensionFunctionAddress");
  return get(name);
}

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t room, void* value,
                                     size_t* size) {
  return changed.clGetPlatformInfo(platform, what, room, value, size);
}

static cl_int CL_API_CALL platforms(cl_uint room, cl_platform_id* ids, cl_uint* count) {
  apply_fault();
  if (fault("refuses")) return -1001; /* CL_PLATFORM_NOT_FOUND_KHR */
  clIcdGetPlatformIDsKHR_fn get = (clIcdGetPlatformIDsKHR_fn)real_function("clIcdGetPlatformIDsKHR");
  cl_int status = get(room, ids, count);
  if (status != CL_SUCCESS || ids == NULL || real_devices != NULL) return status;
  changed = *ids[0]->dispatch;
  real_devices = changed.clGetDeviceIDs;
  changed.clGetDeviceIDs = devices;
  ids[0]->dispatch = &changed;
  return status;
}

#ifndef WITHOUT_ENTRY
void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0) return (void*)platforms;
  if (strcmp(name, "clGetPlatformInfo") == 0) return (void*)clGetPlatformInfo;
  return real_function(name);
}
#endif
#endif
