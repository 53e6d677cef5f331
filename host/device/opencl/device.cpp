#include <algorithm>
#include <deque>
#include <limits>

#include "device/driver_clock.hpp"
#include "device/opencl/device.hpp"
#include "device/opencl/opencl.hpp"
#include "os/machine.hpp"

namespace sonde::device::opencl {
namespace {

struct OpenclKernel final : Kernel {
  OpenclKernel(cl::Kernel made, std::uint32_t group) : kernel(std::move(made)), group_size(group) {}

  /// PTX on NVIDIA; empty for others, whose binaries are machine code.
  std::string listing() const override {
    return translated([&] {
      const auto binaries = kernel.getInfo<CL_KERNEL_PROGRAM>().getInfo<CL_PROGRAM_BINARIES>();
      if (binaries.empty()) return std::string();
      const std::string text(binaries.front().begin(), binaries.front().end());
      const bool is_ptx = text.find(".version") != std::string::npos && text.find(".entry") != std::string::npos;
      return is_ptx ? text : std::string();
    });
  }

  cl::Kernel kernel;
  std::uint32_t group_size;
};

class OpenclDevice final : public Device {
 public:
  explicit OpenclDevice(const cl::Device& device) : info_(describe(device)), handles_(device) {}

  const DeviceInfo& info() const override { return info_; }

  std::uint64_t available_bytes() override {
    // OpenCL has no budget query. A share is left for other users of the memory; where the device's memory is the
    // host's, the memory that the host can spare counts as well.
    const std::uint64_t share =
        info_.memory_bytes == 0 ? std::numeric_limits<std::uint64_t>::max() : info_.memory_bytes / 5 * 4;
    const bool host_memory = info_.unified_memory || info_.type == DeviceType::cpu;
    return host_memory ? std::min(share, os::available_memory_bytes() / 5 * 4) : share;
  }

  std::unique_ptr<Buffer> make_buffer(std::uint64_t size_bytes, Use use) override {
    check_fits(info_, available_bytes(), size_bytes, use);
    return opencl::make_buffer(handles_, "device", size_bytes, use);
  }

  std::unique_ptr<Buffer> make_buffer_in(const MemoryKind& kind, std::uint64_t size_bytes, Use use) override {
    check_fits(info_, available_bytes(), size_bytes, use);
    return opencl::make_buffer(handles_, memory_kind(info_, kind.name).name, size_bytes);
  }

  std::unique_ptr<Kernel> make_kernel(const KernelSource& source, std::uint32_t group_size,
                                      std::span<const Constant> constants) override {
    // The option allows a product and a sum to be one instruction: PoCL makes two of them otherwise, even for fma().
    std::string options = "-cl-mad-enable -DGROUP_SIZE=" + std::to_string(group_size);
    for (const Constant& one : constants) options += " -D" + std::string(one.name) + "=" + std::to_string(one.value);
    // The macros that name the clock's scopes exist in OpenCL C 3.0 only.
    const bool reads_clock = source.opencl_c.find("cl_khr_kernel_clock") != std::string_view::npos;
    if (reads_clock && info_.core_clock) options += " -cl-std=CL3.0";
    return translated([&] {
      return std::make_unique<OpenclKernel>(cl::Kernel(built(source, options), std::string(source.name).c_str()),
                                            group_size);
    });
  }

  std::vector<Nanoseconds> round_trips(std::uint32_t count) override { return opencl::round_trips(handles_, count); }

  Nanoseconds run(Kernel& kernel, const Launch& launch) override {
    return translated([&] {
      const Nanoseconds before = host_time();
      const auto [start, end] = times_of(enqueue(kernel, launch));
      const Nanoseconds time = nonzero_time(Nanoseconds(static_cast<double>(end - start)), info_.timer_step_ns);
      return plausible_time(time, host_time() - before);
    });
  }

  BusyTimes keep_busy(Kernel& kernel, const std::function<Launch(std::size_t)>& launch,
                      const std::function<bool(Nanoseconds)>& enough) override {
    return translated([&] {
      if (marker_() == nullptr) marker_ = cl::Buffer(handles_.context, CL_MEM_READ_WRITE, sizeof(std::uint32_t));
      ClockRelation clocks;
      const cl_ulong first = times_of(write_marker()).second;  // drivers count from 1970, too far for a double
      const auto since_first = [first](cl_ulong time) {
        return Nanoseconds(static_cast<double>(static_cast<cl_long>(time - first)));
      };
      const auto relate = [&] {
        for (int bracket = 0; bracket < ClockRelation::brackets; ++bracket) {
          const Nanoseconds before = host_time();
          const cl_ulong end = times_of(write_marker()).second;
          clocks.bracket(before, since_first(end), host_time());
        }
      };
      relate();
      std::deque<cl::Event> ahead;
      std::vector<BusyInterval> times;
      std::size_t enqueued = 0;
      for (bool done = false; !done || !ahead.empty();) {
        for (; !done && ahead.size() < dispatches_ahead; ++enqueued) ahead.push_back(enqueue(kernel, launch(enqueued)));
        handles_.queue.flush();
        const auto [start, end] = times_of(ahead.front());
        (void)nonzero_time(Nanoseconds(static_cast<double>(end - start)), info_.timer_step_ns);
        times.push_back({since_first(start), since_first(end)});
        ahead.pop_front();
        done = done || enough(clocks.just_over(times.back().end, host_time()));
      }
      clocks.begin_second_set();
      relate();
      return clocks.on_host(times);
    });
  }

  CopyEngines& copy_engines() override { return *copy_engines_; }

 private:
  static constexpr std::size_t dispatches_ahead = 3;

  /// Enqueues the smallest command that the device stamps with its clock.
  cl::Event write_marker() {
    cl::Event event;
    handles_.queue.enqueueWriteBuffer(marker_, CL_FALSE, 0, sizeof written_marker_, &written_marker_, nullptr, &event);
    return event;
  }

  /// Waits for the event, and returns when it began and ended.
  static std::pair<cl_ulong, cl_ulong> times_of(const cl::Event& event) {
    event.wait();
    const auto start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
    const auto end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
    (void)ticks_between(start, end, 64);
    return {start, end};
  }

  cl::Event enqueue(Kernel& kernel, const Launch& launch) {
    auto& own = static_cast<OpenclKernel&>(kernel);
    cl_uint argument = 0;
    for (Buffer* buffer : launch.buffers) {
      static_cast<OpenclBuffer*>(buffer)->set_as(argument++, own.kernel);
    }
    for (const std::uint32_t scalar : launch.scalars) own.kernel.setArg(argument++, scalar);
    const cl::NDRange group(own.group_size);
    const cl::NDRange all(std::size_t{own.group_size} * launch.groups);
    cl::Event event;
    handles_.queue.enqueueNDRangeKernel(own.kernel, cl::NullRange, all, group, nullptr, &event);
    return event;
  }

  /// The compiled program, cached: every point makes its kernels anew, and drivers run their compiler's front end even
  /// for programs in their own cache.
  const cl::Program& built(const KernelSource& source, const std::string& options) {
    const auto key = std::make_pair(std::string(source.opencl_c), options);
    const auto known = programs_.find(key);
    if (known != programs_.end()) return known->second;
    const cl::Program program(handles_.context, key.first);
    const cl_device_id device = handles_.device();
    // It is built without opencl.hpp, which loses the error code where the driver has no log.
    const cl_int status = ::clBuildProgram(program(), 1, &device, options.c_str(), nullptr, nullptr);
    if (status == CL_SUCCESS) return programs_.emplace(key, program).first->second;
    std::string log;
    try {
      log = program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(handles_.device);
    } catch (const cl::Error&) {
      log = "(the driver has no log)";
    }
    // Some logs have a page for each use of a macro; the first errors are enough.
    constexpr std::size_t most_of_a_log = 1000;
    if (log.size() > most_of_a_log) log = log.substr(0, most_of_a_log) + " …";
    throw Error(failure_text("clBuildProgram", status) + ". The driver's log: " + log);
  }

  DeviceInfo info_;
  ContextHandles handles_;
  cl::Buffer marker_;  ///< written to relate the device's clock to the host's
  std::uint32_t written_marker_ = 0;
  std::map<std::pair<std::string, std::string>, cl::Program> programs_;  ///< by text and options
  std::unique_ptr<CopyEngines> copy_engines_ = make_copy_engines(
      *this, handles_, [this](Kernel& kernel, const Launch& launch) { return enqueue(kernel, launch); });
};

}  // namespace

std::unique_ptr<Device> open(std::size_t index) {
  const std::vector<cl::Device> all = devices();
  if (index >= all.size()) throw Error("the OpenCL device has gone since the devices were listed");
  return translated([&] { return std::make_unique<OpenclDevice>(all[index]); });
}

}  // namespace sonde::device::opencl
