#pragma once

#include "device/copy_engines.hpp"
#include "device/opencl/loader.hpp"

namespace sonde::device::opencl {

/// Every device with its handle, in the order of the platforms; throws as `opencl::list` does.
std::vector<cl::Device> devices();
DeviceInfo describe(const cl::Device& device);

/// The error's name, "CL_OUT_OF_RESOURCES" for -5; the number where the name is not known.
std::string error_name(cl_int code);
std::string failure_text(const char* call, cl_int code);
/// Throws the failure of a call as an exception that the runner knows.
[[noreturn]] void rethrow(const cl::Error& failure);

/// Calls `work` and turns what opencl.hpp throws into the exceptions that the runner knows.
template <typename Work>
auto translated(Work work) {
  try {
    return work();
  } catch (const cl::Error& error) {
    rethrow(error);
  }
}

/// A buffer that can be a kernel's argument.
class OpenclBuffer : public Buffer {
 public:
  virtual void set_as(cl_uint argument, cl::Kernel& kernel) const = 0;
  /// The memory object behind it; null for shared virtual memory.
  [[nodiscard]] virtual cl_mem object() const { return nullptr; }
};

/// The driver's objects with which buffers, copies and round trips are made.
struct ContextHandles {
  explicit ContextHandles(const cl::Device& of)
      : device(of), context(of), queue(context, of, CL_QUEUE_PROFILING_ENABLE) {}

  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue;
};

/// The kinds of memory that OpenCL has names for; those that this device lacks have the reason.
std::vector<MemoryKind> memory_kinds(const cl::Device& device);
/// The device's capabilities for shared virtual memory; zero where it or the loader has none.
cl_device_svm_capabilities shared_virtual_memory(const cl::Device& device);

std::unique_ptr<OpenclBuffer> make_buffer(const ContextHandles& handles, std::string_view kind,
                                          std::uint64_t size_bytes, Use use = Use::storage);

/// Shared virtual memory, aligned for the widest type; null where the driver refuses it.
template <typename Word>
std::shared_ptr<Word> shared_memory(const cl::Context& context, cl_svm_mem_flags flags, std::size_t bytes) {
  // NOLINTNEXTLINE(bugprone-exception-escape): opencl.hpp throws where a driver cannot release what it made itself
  const auto free = [context](void* memory) {
    if (memory != nullptr) ::clSVMFree(context(), memory);
  };
  return {static_cast<Word*>(::clSVMAlloc(context(), CL_MEM_READ_WRITE | flags, bytes, 0)), free};
}
void set_shared_argument(cl::Kernel& kernel, cl_uint argument, const void* memory);

using EnqueueKernel = std::function<cl::Event(Kernel& kernel, const Launch& launch)>;

/// Copies through command queues of their own, in order. `device` must outlive them.
std::unique_ptr<CopyEngines> make_copy_engines(Device& device, const ContextHandles& handles,
                                               EnqueueKernel enqueue_kernel);

/// The times of `count` round trips between the CPU and a running kernel through fine-grained shared virtual memory
/// with atomics. Throws Unsupported where the device has no such memory or does not run on.
std::vector<Nanoseconds> round_trips(const ContextHandles& handles, std::uint32_t count);

}  // namespace sonde::device::opencl
