#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/device.hpp"
#include "device/opencl/loader.hpp"

namespace sonde::device::opencl {

/// A buffer that can be a kernel's argument.
class OpenclBuffer : public Buffer {
 public:
  virtual void set_as(cl_uint argument, cl::Kernel& kernel) const = 0;
  /// The memory object behind it; null for shared virtual memory.
  [[nodiscard]] virtual cl_mem object() const { return nullptr; }
};

/// What buffers are made of.
struct Place {
  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue;
};

/// The kinds of memory that OpenCL has names for, those that this device lacks with the reason.
std::vector<MemoryKind> memory_kinds(const cl::Device& device);

/// Memory that is the device's own, or in one of its kinds.
std::unique_ptr<OpenclBuffer> make_buffer(const Place& place, std::uint64_t size_bytes, Use use);
std::unique_ptr<OpenclBuffer> make_buffer_in(const Place& place, const MemoryKind& kind, std::uint64_t size_bytes);

}  // namespace sonde::device::opencl
