#include <cstring>

#include "device/opencl/device.hpp"

namespace sonde::device::opencl {
namespace {

cl_map_flags map_flags(Access access) {
  if (access == Access::overwrite) return CL_MAP_WRITE_INVALIDATE_REGION;
  return access == Access::read ? CL_MAP_READ : CL_MAP_READ | CL_MAP_WRITE;
}

/// A buffer that is a memory object, wherever its bytes lie.
class ObjectBuffer final : public OpenclBuffer {
 public:
  ObjectBuffer(const ContextHandles& handles, std::uint64_t size_bytes, cl_mem_flags where, Use use)
      : queue_(handles.queue),
        host_(where == CL_MEM_USE_HOST_PTR ? PageAligned(size_bytes) : PageAligned()),
        buffer_(handles.context, CL_MEM_READ_WRITE | where, size_bytes, host_.bytes().data()),
        size_bytes_(size_bytes) {
    if (use != Use::texels && use != Use::wide_texels) return;
    const std::size_t words = use == Use::wide_texels ? 4 : 1;
    const cl::ImageFormat texel(words == 4 ? CL_RGBA : CL_R, CL_UNSIGNED_INT32);
    texels_ = cl::Image1DBuffer(handles.context, CL_MEM_READ_ONLY, texel, size_bytes / (words * sizeof(std::uint32_t)),
                                buffer_);
  }

  std::uint64_t size_bytes() const override { return size_bytes_; }

  void write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) override {
    check_range(offset_bytes, bytes.size());
    translated([&] { queue_.enqueueWriteBuffer(buffer_, CL_TRUE, offset_bytes, bytes.size(), bytes.data()); });
  }

  void read(std::uint64_t offset_bytes, std::span<std::byte> bytes) override {
    check_range(offset_bytes, bytes.size());
    translated([&] { queue_.enqueueReadBuffer(buffer_, CL_TRUE, offset_bytes, bytes.size(), bytes.data()); });
  }

  std::span<std::byte> map(Access access) override {
    return translated([&] {
      mapped_ = queue_.enqueueMapBuffer(buffer_, CL_TRUE, map_flags(access), 0, size_bytes_);
      return std::span(static_cast<std::byte*>(mapped_), size_bytes_);
    });
  }

  void unmap() override {
    translated([&] {
      queue_.enqueueUnmapMemObject(buffer_, mapped_);
      queue_.finish();
    });
  }

  void set_as(cl_uint argument, cl::Kernel& kernel) const override {
    kernel.setArg(argument, texels_() != nullptr ? static_cast<const cl::Memory&>(texels_) : buffer_);
  }

  cl_mem object() const override { return buffer_(); }

 private:
  cl::CommandQueue queue_;
  PageAligned host_;  ///< destroyed after the object that uses it
  cl::Buffer buffer_;
  cl::Image1DBuffer texels_;  ///< the same memory, for kernels that read it through the texture unit
  std::uint64_t size_bytes_;
  void* mapped_ = nullptr;
};

/// A buffer in shared virtual memory, which has one address for the CPU and the device.
class SvmBuffer final : public OpenclBuffer {
 public:
  SvmBuffer(const ContextHandles& handles, std::string_view kind, std::uint64_t size_bytes)
      : queue_(handles.queue), is_coarse_(kind == "svm-coarse"), size_bytes_(size_bytes) {
    if (kind == "svm-system") {
      const auto own = std::make_shared<PageAligned>(size_bytes);
      memory_ = {own, own->bytes().data()};
      return;
    }
    const bool atomics = (shared_virtual_memory(handles.device) & CL_DEVICE_SVM_ATOMICS) != 0;
    const cl_svm_mem_flags fine = CL_MEM_SVM_FINE_GRAIN_BUFFER | (atomics ? CL_MEM_SVM_ATOMICS : 0);
    memory_ = shared_memory<std::byte>(handles.context, is_coarse_ ? 0 : fine, size_bytes);
    if (memory_ != nullptr) return;
    throw Unsupported("the driver refused the allocation: clSVMAlloc of " + std::to_string(size_bytes >> 20) + " MiB");
  }

  std::uint64_t size_bytes() const override { return size_bytes_; }

  void write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) override {
    check_range(offset_bytes, bytes.size());
    copy(memory_.get() + offset_bytes, bytes.data(), bytes.size());
  }

  void read(std::uint64_t offset_bytes, std::span<std::byte> bytes) override {
    check_range(offset_bytes, bytes.size());
    copy(bytes.data(), memory_.get() + offset_bytes, bytes.size());
  }

  std::span<std::byte> map(Access access) override {
    return translated([&] {
      if (is_coarse_) queue_.enqueueMapSVM(memory_.get(), CL_TRUE, map_flags(access), size_bytes_);
      return std::span(memory_.get(), size_bytes_);
    });
  }

  void unmap() override {
    if (!is_coarse_) return;
    translated([&] {
      queue_.enqueueUnmapSVM(memory_.get());
      queue_.finish();
    });
  }

  void set_as(cl_uint argument, cl::Kernel& kernel) const override {
    set_shared_argument(kernel, argument, memory_.get());
  }

 private:
  void copy(std::byte* to, const std::byte* from, std::size_t bytes) {
    if (bytes == 0) return;
    if (!is_coarse_) {
      std::memcpy(to, from, bytes);
      return;
    }
    translated([&] {
      const cl_int status = ::clEnqueueSVMMemcpy(queue_(), CL_TRUE, to, from, bytes, 0, nullptr, nullptr);
      if (status != CL_SUCCESS) throw cl::Error(status, "clEnqueueSVMMemcpy");
    });
  }

  cl::CommandQueue queue_;
  bool is_coarse_;  ///< map and unmap hand it over; the other grains are shared at all times
  std::uint64_t size_bytes_;
  std::shared_ptr<std::byte> memory_;
};

}  // namespace

cl_device_svm_capabilities shared_virtual_memory(const cl::Device& device) {
  cl_device_svm_capabilities can = 0;
  if (!missing_shared_memory_function().empty()) return 0;
  // Drivers before OpenCL 2.0 do not know the question.
  if (::clGetDeviceInfo(device(), CL_DEVICE_SVM_CAPABILITIES, sizeof can, &can, nullptr) != CL_SUCCESS) return 0;
  return can;
}

void set_shared_argument(cl::Kernel& kernel, cl_uint argument, const void* memory) {
  const cl_int status = ::clSetKernelArgSVMPointer(kernel(), argument, memory);
  if (status != CL_SUCCESS) throw cl::Error(status, "clSetKernelArgSVMPointer");
}

std::vector<MemoryKind> memory_kinds(const cl::Device& device) {
  std::vector<MemoryKind> kinds{{.name = "device", .missing = ""},
                                {.name = "alloc-host-ptr", .missing = ""},
                                {.name = "use-host-ptr", .missing = ""}};
  const cl_device_svm_capabilities can = shared_virtual_memory(device);
  const auto add = [&](const char* name, cl_device_svm_capabilities needed, const char* what, bool maps_freely) {
    const std::string& function = missing_shared_memory_function();
    const std::string missing =
        (can & needed) != 0 ? ""
        : !function.empty() ? "the OpenCL loader lacks " + function + ", which those of OpenCL 2.0 and later have"
                            : std::string("the driver shares no addresses with the CPU ") + what +
                                  " (its CL_DEVICE_SVM_CAPABILITIES); another or a newer driver may";
    kinds.push_back({.name = name, .missing = missing, .maps_freely = maps_freely});
  };
  add("svm-coarse", CL_DEVICE_SVM_COARSE_GRAIN_BUFFER, "buffer by buffer", false);
  add("svm-fine", CL_DEVICE_SVM_FINE_GRAIN_BUFFER, "byte by byte", true);
  add("svm-system", CL_DEVICE_SVM_FINE_GRAIN_SYSTEM, "for memory of the program's own", true);
  return kinds;
}

std::unique_ptr<OpenclBuffer> make_buffer(const ContextHandles& handles, std::string_view kind,
                                          std::uint64_t size_bytes, Use use) {
  if (kind != "device") check_host_can_spare(size_bytes);
  return translated([&]() -> std::unique_ptr<OpenclBuffer> {
    if (kind.starts_with("svm-")) return std::make_unique<SvmBuffer>(handles, kind, size_bytes);
    const cl_mem_flags where = kind == "alloc-host-ptr" ? CL_MEM_ALLOC_HOST_PTR
                               : kind == "use-host-ptr" ? CL_MEM_USE_HOST_PTR
                                                        : 0;
    return std::make_unique<ObjectBuffer>(handles, size_bytes, where, use);
  });
}

}  // namespace sonde::device::opencl
