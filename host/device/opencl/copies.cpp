#include "device/opencl/copies.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "device/copy_engines.hpp"
#include "device/driver_clock.hpp"
#include "device/opencl/error.hpp"
#include "device/page_aligned.hpp"

namespace sonde::device::opencl {
namespace {

/// OpenCL knows no limit; more than any device has engines.
constexpr std::uint32_t most_queues = 8;
/// A kernel that nothing holds up has begun by then.
constexpr std::chrono::microseconds longest_begin{200};

class Pageable final : public HostMemory {
 public:
  explicit Pageable(std::uint64_t size_bytes) : memory_(size_bytes) {}
  std::span<std::byte> bytes() override { return memory_.bytes(); }

 private:
  PageAligned memory_;
};

/// A buffer in memory of the host that stays mapped: what reads and writes then get is a pointer, and the
/// driver knows by its address that the memory is its own.
class Mapped final : public HostMemory {
 public:
  explicit Mapped(std::unique_ptr<Buffer> buffer) : buffer_(std::move(buffer)), bytes_(buffer_->map(Access::write)) {}
  ~Mapped() override {
    try {
      buffer_->unmap();
    } catch (const std::exception&) {
      // The buffer goes away all the same.
    }
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
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

bool may_block(const Copy& copy) {
  // Of the driver's own memory alone it is certain that nothing has to be copied by the CPU first.
  const auto is_drivers = [](const CopyEndpoint& place) {
    return place.host == nullptr || (dynamic_cast<const Mapped*>(place.host) != nullptr);
  };
  return !is_drivers(copy.from) || !is_drivers(copy.to);
}

void enqueue(const cl::CommandQueue& queue, const Copy& copy, const std::vector<cl::Event>& after, cl::Event* event) {
  const std::vector<cl::Event>* wait = after.empty() ? nullptr : &after;
  if (copy.from.buffer != nullptr && copy.to.buffer != nullptr) {
    queue.enqueueCopyBuffer(object_of(copy.from), object_of(copy.to), copy.from.offset_bytes, copy.to.offset_bytes,
                            copy.bytes, wait, event);
  } else if (copy.to.buffer != nullptr) {
    queue.enqueueWriteBuffer(object_of(copy.to), CL_FALSE, copy.to.offset_bytes, copy.bytes,
                             pointer_of(copy.from, copy.bytes), wait, event);
  } else if (copy.from.buffer != nullptr) {
    queue.enqueueReadBuffer(object_of(copy.from), CL_FALSE, copy.from.offset_bytes, copy.bytes,
                            pointer_of(copy.to, copy.bytes), wait, event);
  } else {
    throw Error("a copy from host memory to host memory");
  }
}

/// When a list's first copy began and its last one ended, by the device's clock, which all queues share.
// NOLINTNEXTLINE(bugprone-exception-escape): opencl.hpp throws where a driver cannot release what it made itself
struct Stretch {
  cl::Event first;
  cl::Event last;

  cl_ulong begin() const { return first.getProfilingInfo<CL_PROFILING_COMMAND_START>(); }
  cl_ulong end() const { return last.getProfilingInfo<CL_PROFILING_COMMAND_END>(); }
  Nanoseconds time() const { return Nanoseconds(static_cast<double>(ticks_between(begin(), end(), 64))); }
};

class OpenclCopies final : public CopyEngines {
 public:
  OpenclCopies(Device& device, Place place, EnqueueKernel enqueue_kernel)
      : device_(device), place_(std::move(place)), enqueue_kernel_(std::move(enqueue_kernel)) {}

  CopyQueues queues(CopyEngine engine) override {
    if (engine == CopyEngine::transfer) {
      throw Unsupported(
          "OpenCL lets no program choose what copies; the driver's choice is measured, and Vulkan's queues "
          "show the engines");
    }
    return {.name = "command queues", .count = most_queues};
  }

  std::unique_ptr<HostMemory> make_host_memory(HostKind kind, std::uint64_t size_bytes) override {
    if (kind == HostKind::pageable) return std::make_unique<Pageable>(size_bytes);
    const char* name = kind == HostKind::pinned ? "alloc-host-ptr" : "use-host-ptr";
    return std::make_unique<Mapped>(device_.make_buffer_in(memory_kind(device_.info(), name), size_bytes));
  }

  CopyTimes run(CopyEngine engine, std::span<const CopyList> lists) override {
    if (lists.size() > queues(engine).count) throw Unsupported("copies are tried on at most 8 queues");
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
      std::optional<BesideTimes> times = tried_beside(list, kernel, launch);
      // Once it is known that this driver tells of no kernel that it runs.
      if (!times) times = tried_beside(list, kernel, launch);
      if (!times) throw Unsupported(kernel_waits_reason);
      return *times;
    });
  }

 private:
  /// Lets go what `enqueue` has put behind the gate, even when it fails half-way: that would wait for ever.
  /// Returns once all of it has run.
  template <typename Enqueue>
  void behind_gate(bool is_gated, Enqueue enqueue) {
    cl::UserEvent gate(place_.context);
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
    // All are let go before any is waited for. Not earlier: some drivers work off what is flushed at once, and would
    // wait for the gate there.
    for (const cl::CommandQueue& queue : queues_) queue.flush();
    for (const cl::CommandQueue& queue : queues_) queue.finish();
  }

  /// Nothing where the kernel was over before the copies were let go, as only the driver could have told.
  std::optional<BesideTimes> tried_beside(const CopyList& list, Kernel& kernel, const Launch& launch) {
    Stretch copies;
    cl::Event running;
    cl_int status = CL_QUEUED;
    const bool tells = tells_of_running_kernels_;
    behind_gate(true, [&](const cl::UserEvent& gate) {
      copies = enqueue_list(queues_[0], list, gate);
      running = enqueue_kernel_(kernel, launch);
      place_.queue.flush();
      // Until the device is at it: where it takes the copies first, they do not run beside the kernel.
      const auto has_begun = [&] {
        status = running.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
        return status <= CL_RUNNING;
      };
      if (tells && !begins_soon(has_begun)) status = CL_QUEUED;
      if (!tells) std::this_thread::sleep_for(longest_begin);
    });
    running.wait();
    // NVIDIA's says of a kernel that it waits until it says that it is over.
    tells_of_running_kernels_ = tells && status != CL_COMPLETE;
    if (tells && status == CL_COMPLETE) return std::nullopt;
    const Stretch beside{running, running};
    const bool kernel_first = tells ? status == CL_RUNNING : beside.begin() <= copies.begin();
    if (!kernel_first) throw Unsupported(kernel_waits_reason);
    return BesideTimes{
        .copies = copies.time(), .kernel = beside.time(), .kernel_outlasted = beside.end() > copies.end()};
  }

  void make_queues(std::size_t count) {
    while (queues_.size() < count) queues_.emplace_back(place_.context, place_.device, CL_QUEUE_PROFILING_ENABLE);
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
  Place place_;
  EnqueueKernel enqueue_kernel_;
  std::vector<cl::CommandQueue> queues_;
  bool tells_of_running_kernels_ = true;  ///< as far as was seen
};

}  // namespace

std::unique_ptr<CopyEngines> make_copy_engines(Device& device, const Place& place, EnqueueKernel enqueue_kernel) {
  return std::make_unique<OpenclCopies>(device, place, std::move(enqueue_kernel));
}

}  // namespace sonde::device::opencl
