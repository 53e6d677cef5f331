#define SONDE_OPENCL_LOADER_ITSELF
#include "gpu/opencl/loader.hpp"

#include <dlfcn.h>

#include <string>

#include "gpu/error.hpp"

namespace sonde::gpu::opencl {
namespace {

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) {
    throw Unsupported(std::string("the OpenCL loader lacks ") + name +
                      "; install a newer one (Debian and Ubuntu: ocl-icd-libopencl1)");
  }
}

}  // namespace

void load() {
  static void* library = nullptr;
  if (library != nullptr) return;
  library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw Unsupported(std::string("no OpenCL loader; install one (Debian and Ubuntu: ocl-icd-libopencl1) (") +
                      dlerror() + ")");  // NOLINT(concurrency-mt-unsafe): glibc keeps it for each thread
  }
#define SONDE_FIND(function) find(library, #function, function##_forwarder::target);
  SONDE_OPENCL_FUNCTIONS(SONDE_FIND)
#undef SONDE_FIND
}

}  // namespace sonde::gpu::opencl
