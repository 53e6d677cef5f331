#define SONDE_OPENCL_LOADER_ITSELF
#include "device/opencl/loader.hpp"

#include "device/device.hpp"
#include "os/library.hpp"
#include "os/machine.hpp"
#include "os/this_process.hpp"
#include "os/threads.hpp"

namespace sonde::device::opencl {
namespace {

std::string missing_shared_memory;

/// Makes a queue with loaders before OpenCL 2.0, by its bits: this program asks for no other properties.
cl_command_queue CL_API_CALL make_queue(cl_context context, cl_device_id device, const cl_queue_properties* properties,
                                        cl_int* status) {
  cl_command_queue_properties bits = 0;
  for (; properties != nullptr && *properties != 0; properties += 2) {
    if (*properties == CL_QUEUE_PROPERTIES) bits = properties[1];
  }
  return clCreateCommandQueue_forwarder::target(context, device, bits, status);
}

template <typename Function>
void find(const os::Library& library, const char* name, Function& function) {
  library.find(name, function);
  if constexpr (std::is_same_v<Function, decltype(&make_queue)>) {
    if (function == nullptr) function = make_queue;
  }
  if (function != nullptr) return;
  if (std::string_view(name).find("SVM") == std::string_view::npos) {
    throw Unsupported(std::string("the OpenCL loader lacks ") + name + "; install a newer one " +
                      os::loader_package("ocl-icd-libopencl1"));
  }
  if (missing_shared_memory.empty()) missing_shared_memory = name;
}

}  // namespace

void load() {
  // The library is never unloaded: drivers' threads run in it until the process ends.
  static os::Library* library = nullptr;
  if (library != nullptr) return;
  // PoCL is made to pin each of its threads to a CPU: otherwise two of them share one now and then, for as long as the
  // system takes to notice, and bandwidth halves. PoCL counts CPUs from 0 and gives up where it may not use one, so
  // this is done only where the process may use all of them. A user's own setting is kept.
  if (os::allowed_cpus().size() == os::configured_cpus()) os::set_environment_unless_set("POCL_AFFINITY", "1");
  auto loaded = std::make_unique<os::Library>(os::opencl_loader);
  if (!*loaded) throw Unsupported(loader_problem("OpenCL", "ocl-icd-libopencl1", *loaded));
#define SONDE_FIND(function) find(*loaded, #function, function##_forwarder::target);
  SONDE_OPENCL_FUNCTIONS(SONDE_FIND)
#undef SONDE_FIND
  library = loaded.release();
}

const std::string& missing_shared_memory_function() { return missing_shared_memory; }

}  // namespace sonde::device::opencl
