#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/copy_engines.hpp"
#include "device/device.hpp"
#include "device/error.hpp"
#include "device/opencl/loader.hpp"

namespace sonde::device::opencl {

/// Every device with its handle, in the order of the platforms; throws as `opencl::list` does.
std::vector<cl::Device> devices();

/// The facts that the driver states about one device.
DeviceInfo describe(const cl::Device& device);

/// The error's name, "CL_OUT_OF_RESOURCES" for -5; the number where the name is not known.
std::string error_name(cl_int code);
/// The part of an error message that says what a user can do.
std::string advice(cl_int code);
/// Throws the failure of a call as an exception that the runner knows, with the call's and the error's name and advice.
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
  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue;
};

/// The kinds of memory that OpenCL has names for; those that this device lacks have the reason.
std::vector<MemoryKind> memory_kinds(const cl::Device& device);
/// The device's capabilities for shared virtual memory; zero where it or the loader has none.
cl_device_svm_capabilities shared_virtual_memory(const cl::Device& device);

/// A buffer in the device's own memory.
std::unique_ptr<OpenclBuffer> make_buffer(const ContextHandles& handles, std::uint64_t size_bytes, Use use);
/// A buffer in one of the device's kinds of memory.
std::unique_ptr<OpenclBuffer> make_buffer_in(const ContextHandles& handles, const MemoryKind& kind,
                                             std::uint64_t size_bytes);
/// Makes shared virtual memory a kernel's argument.
void set_shared_argument(cl::Kernel& kernel, cl_uint argument, const void* memory);

/// Enqueues a kernel on the device's own queue.
using EnqueueKernel = std::function<cl::Event(Kernel& kernel, const Launch& launch)>;

/// Copies through command queues of their own, in order. `device` must outlive them.
std::unique_ptr<CopyEngines> make_copy_engines(Device& device, const ContextHandles& handles,
                                               EnqueueKernel enqueue_kernel);

/// The times of `count` round trips: the CPU writes a word, a running kernel answers it, and the CPU sees the answer,
/// all through fine-grained shared virtual memory with atomics. Throws Unsupported where the device has no such memory
/// or does not run on.
std::vector<Nanoseconds> round_trips(const ContextHandles& handles, std::uint32_t count);

}  // namespace sonde::device::opencl
