#define SONDE_OPENCL_LOADER_ITSELF
#include "gpu/opencl/loader.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
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

/// Has PoCL give each of its threads a CPU: otherwise two of them share one now and then, for as long as the system
/// takes to notice, and bandwidth halves. PoCL counts CPUs from 0 and gives up where it may not use one, so only where
/// this process may use all. Whoever has set it already knows better.
void give_each_pocl_thread_a_cpu() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  if (CPU_COUNT(&allowed) != sysconf(_SC_NPROCESSORS_CONF)) return;
  setenv("POCL_AFFINITY", "1", 0);  // NOLINT(concurrency-mt-unsafe): before any driver's thread begins
}

}  // namespace

void load() {
  static void* library = nullptr;
  if (library != nullptr) return;
  give_each_pocl_thread_a_cpu();
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
