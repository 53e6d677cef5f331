#include <algorithm>
#include <exception>
#include <thread>

#include "device/driver_clock.hpp"
#include "device/opencl/device.hpp"

namespace sonde::device::opencl {
namespace {

/// OpenCL states no limit; no device has more engines than this.
constexpr std::uint32_t most_queues = 8;
/// A kernel that nothing holds up has begun within this time.
constexpr std::chrono::microseconds longest_begin{200};

/// A buffer in memory of the host that stays mapped: reads and writes get a pointer into it, and the driver recognizes
/// its own memory by the address.
class Mapped final : public HostBlock {
 public:
  explicit Mapped(std::unique_ptr<Buffer> buffer) : buffer_(std::move(buffer)), bytes_(buffer_->map(Access::write)) {}
  ~Mapped() override {
    try {
      buffer_->unmap();
    } catch (const std::exception&) {
      // The buffer is destroyed all the same.
    }
  }
  std::span<std::byte> bytes() override { return bytes_; }

 private:
  std::unique_ptr<Buffer> buffer_;
  std::span<std::byte> bytes_;
};

cl::Buffer object_of(const CopyEndpoint& place) {
  return cl::Buffer(static_cast<const OpenclBuffer*>(place.buffer)->object(), true);
}

std::byte* pointer_of(const CopyEndpoint& place, std::uint64_t bytes) {
  const std::span<std::byte> all = place.host->bytes();
  if (place.offset_bytes > all.size() || bytes > all.size() - place.offset_bytes)
    throw Error("a copy reaches beyond host memory");
  return all.data() + place.offset_bytes;
}

/// Whether enqueueing the copy may wait for it. Only for the driver's own memory is it certain that the CPU need not
/// copy anything first.
bool may_block(const Copy& copy) {
  const auto is_drivers = [](const CopyEndpoint& place) {
    return place.host == nullptr || dynamic_cast<const Mapped*>(place.host) != nullptr;
  };
  return !is_drivers(copy.from) || !is_drivers(copy.to);
}

void enqueue(const cl::CommandQueue& queue, const Copy& copy, const std::vector<cl::Event>& after, cl::Event* event) {
  if (copy.from.buffer != nullptr && copy.to.buffer != nullptr) {
    queue.enqueueCopyBuffer(object_of(copy.from), object_of(copy.to), copy.from.offset_bytes, copy.to.offset_bytes,
                            copy.bytes, &after, event);
  } else if (copy.to.buffer != nullptr) {
    queue.enqueueWriteBuffer(object_of(copy.to), CL_FALSE, copy.to.offset_bytes, copy.bytes,
                             pointer_of(copy.from, copy.bytes), &after, event);
  } else if (copy.from.buffer != nullptr) {
    queue.enqueueReadBuffer(object_of(copy.from), CL_FALSE, copy.from.offset_bytes, copy.bytes,
                            pointer_of(copy.to, copy.bytes), &after, event);
  } else {
    throw Error("a copy from host memory to host memory");
  }
}

/// The first and the last copy of a list, timed by the device's clock, which all queues share.
// NOLINTNEXTLINE(bugprone-exception-escape): opencl.hpp throws where a driver cannot release what it made itself
struct Stretch {
  cl::Event first;
  cl::Event last;

  cl_ulong begin() const { return first.getProfilingInfo<CL_PROFILING_COMMAND_START>(); }
  cl_ulong end() const { return last.getProfilingInfo<CL_PROFILING_COMMAND_END>(); }
  Nanoseconds time() const { return Nanoseconds(static_cast<double>(ticks_between(begin(), end(), 64))); }
};

class OpenclCopyEngines final : public CopyEngines {
 public:
  OpenclCopyEngines(Device& device, ContextHandles handles, EnqueueKernel enqueue_kernel)
      : device_(device), handles_(std::move(handles)), enqueue_kernel_(std::move(enqueue_kernel)) {}

  CopyQueues queues(CopyEngine engine) override {
    if (engine == CopyEngine::transfer) {
      throw Unsupported(
          "OpenCL does not let a program choose a copy engine; the driver's choice is measured, and Vulkan's queues "
          "show the engines");
    }
    return {.name = "command queues", .count = most_queues};
  }

  std::unique_ptr<HostBlock> make_host_memory(HostKind kind, std::uint64_t size_bytes) override {
    if (kind == HostKind::pageable) return std::make_unique<PageableMemory>(size_bytes);
    const char* name = kind == HostKind::pinned ? "alloc-host-ptr" : "use-host-ptr";
    return std::make_unique<Mapped>(device_.make_buffer_in(memory_kind(device_.info(), name), size_bytes));
  }

  CopyTimes run(CopyEngine engine, std::span<const CopyList> lists) override {
    if (lists.size() > queues(engine).count) throw Unsupported("copies are measured on at most 8 queues");
    return translated([&] {
      make_queues(lists.size());
      const bool is_gated =
          std::ranges::none_of(lists, [](const CopyList& list) { return std::ranges::any_of(list, may_block); });
      std::vector<Stretch> stretches;
      behind_gate(is_gated, [&](const cl::UserEvent& gate) {
        for (std::size_t index = 0; index < lists.size(); ++index)
          stretches.push_back(enqueue_list(queues_[index], lists[index], gate));
      });
      return times_of(stretches);
    });
  }

  BesideTimes run_beside(CopyEngine engine, const CopyList& list, Kernel& kernel, const Launch& launch) override {
    (void)queues(engine);
    return translated([&] {
      make_queues(1);
      std::optional<BesideTimes> times = try_beside(list, kernel, launch);
      // The second try is for drivers of which the first has shown that they do not report running kernels.
      if (!times) times = try_beside(list, kernel, launch);
      if (!times) throw Unsupported(kernel_waits_reason);
      return *times;
    });
  }

 private:
  /// Opens the gate for everything that `enqueue` has put behind it, even when it fails half-way, as the commands would
  /// wait for ever. Returns once all of them have run.
  template <typename Enqueue>
  void behind_gate(bool is_gated, Enqueue enqueue) {
    cl::UserEvent gate(handles_.context);
    const auto open = [&] { ::clSetUserEventStatus(gate(), CL_COMPLETE); };
    if (!is_gated) open();
    try {
      enqueue(gate);
    } catch (...) {
      if (is_gated) open();
      for (const cl::CommandQueue& queue : queues_) ::clFinish(queue());
      throw;
    }
    if (is_gated) open();
    // All queues are flushed before any is waited for, but not before the gate is open: some drivers execute flushed
    // commands at once and would wait for the gate in the flush.
    for (const cl::CommandQueue& queue : queues_) queue.flush();
    for (const cl::CommandQueue& queue : queues_) queue.finish();
  }

  /// Returns nothing where the kernel had ended before the copies were released, which only the driver could have
  /// shown.
  std::optional<BesideTimes> try_beside(const CopyList& list, Kernel& kernel, const Launch& launch) {
    Stretch copies;
    cl::Event running;
    cl_int status = CL_QUEUED;
    const bool reports = reports_running_kernels_;
    behind_gate(true, [&](const cl::UserEvent& gate) {
      copies = enqueue_list(queues_[0], list, gate);
      running = enqueue_kernel_(kernel, launch);
      handles_.queue.flush();
      // The gate stays closed until the kernel runs: copies that the device begins first do not run beside it.
      const auto has_begun = [&] {
        status = running.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
        return status <= CL_RUNNING;
      };
      if (reports && !begins_soon(has_begun)) status = CL_QUEUED;
      if (!reports) std::this_thread::sleep_for(longest_begin);
    });
    running.wait();
    // NVIDIA's driver reports a kernel as waiting until it reports it as complete.
    reports_running_kernels_ = reports && status != CL_COMPLETE;
    if (reports && status == CL_COMPLETE) return std::nullopt;
    const Stretch beside{running, running};
    const bool kernel_first = reports ? status == CL_RUNNING : beside.begin() <= copies.begin();
    if (!kernel_first) throw Unsupported(kernel_waits_reason);
    return BesideTimes{
        .copies = copies.time(), .kernel = beside.time(), .kernel_outlasted = beside.end() > copies.end()};
  }

  void make_queues(std::size_t count) {
    while (queues_.size() < count) queues_.emplace_back(handles_.context, handles_.device, CL_QUEUE_PROFILING_ENABLE);
  }

  static Stretch enqueue_list(const cl::CommandQueue& queue, const CopyList& list, const cl::UserEvent& gate) {
    Stretch stretch;
    for (std::size_t index = 0; index < list.size(); ++index) {
      const bool is_last = index + 1 == list.size();
      cl::Event event;
      enqueue(queue, list[index], index == 0 ? std::vector<cl::Event>{gate} : std::vector<cl::Event>{},
              index == 0 || is_last ? &event : nullptr);
      if (index == 0) stretch.first = event;
      if (is_last) stretch.last = event;
    }
    return stretch;
  }

  CopyTimes times_of(const std::vector<Stretch>& stretches) const {
    CopyTimes times;
    cl_ulong begin = stretches.front().begin();
    cl_ulong end = 0;
    for (const Stretch& stretch : stretches) {
      times.each.push_back(nonzero_time(stretch.time(), device_.info().timer_step_ns));
      begin = std::min(begin, stretch.begin());
      end = std::max(end, stretch.end());
    }
    times.all = Nanoseconds(static_cast<double>(end - begin));
    return times;
  }

  Device& device_;
  ContextHandles handles_;
  EnqueueKernel enqueue_kernel_;
  std::vector<cl::CommandQueue> queues_;
  bool reports_running_kernels_ = true;  ///< until the driver has shown otherwise
};

}  // namespace

std::unique_ptr<CopyEngines> make_copy_engines(Device& device, const ContextHandles& handles,
                                               EnqueueKernel enqueue_kernel) {
  return std::make_unique<OpenclCopyEngines>(device, handles, std::move(enqueue_kernel));
}

}  // namespace sonde::device::opencl
