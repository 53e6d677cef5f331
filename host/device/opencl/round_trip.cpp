#include <atomic>

#include "device/opencl/device.hpp"

namespace sonde::device::opencl {
namespace {

/// The answering kernel. Word 0 is the CPU's and word 16 the kernel's, on different cache lines. The kernel looks at
/// most `most_looks` times for each number, so that it ends by itself where it never sees one.
constexpr const char* answering_source = R"(
#if __OPENCL_C_VERSION__ >= 200
#define LOOK(word) atomic_load_explicit((volatile global atomic_uint*)(word), memory_order_acquire, memory_scope_all_svm_devices)
#define SAY(word, value) \
  atomic_store_explicit((volatile global atomic_uint*)(word), value, memory_order_release, memory_scope_all_svm_devices)
#else
#define LOOK(word) atomic_or((volatile global uint*)(word), 0)
#define SAY(word, value) atomic_xchg((volatile global uint*)(word), value)
#endif
kernel void answer(global uint* words, uint count, uint most_looks) {
  if (get_global_id(0) != 0) return;
  for (uint number = 1; number <= count; ++number) {
    uint looks = 0;
    while (LOOK(words) < number && looks < most_looks) ++looks;
    if (looks == most_looks) return;
    SAY(words + 16, number);
  }
}
)";

constexpr std::size_t answer_word = 16;
constexpr std::chrono::seconds longest_attempt(3);
constexpr int attempts = 3;

/// Builds the kernel in a version of OpenCL C whose atomics have a scope with the CPU in it, or else in OpenCL C 1.2,
/// whose atomics are a CPU's own where the device is one. (Some drivers with such memory build only that.)
cl::Kernel build_answering(const ContextHandles& handles) {
  const auto built = [&](const char* language) {
    const cl::Program program(handles.context, std::string(answering_source));
    program.build(handles.device, language);
    return cl::Kernel(program, "answer");
  };
  for (const char* language : {"-cl-std=CL2.0", "-cl-std=CL3.0"}) {
    try {
      return built(language);
    } catch (const cl::Error&) {
      // The next version is tried; a failure of the last one is reported.
    }
  }
  return built("-cl-std=CL1.2");
}

/// Returns nothing where the kernel gave up before all numbers were answered.
std::vector<Nanoseconds> try_round_trips(const ContextHandles& handles, cl::Kernel& kernel, std::uint32_t count) {
  using Clock = std::chrono::steady_clock;
  const auto shared =
      shared_memory<std::uint32_t>(handles.context, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 256);
  if (shared == nullptr) throw Unsupported("the driver refused shared memory with atomics");
  std::uint32_t* const words = shared.get();
  words[0] = words[answer_word] = 0;
  set_shared_argument(kernel, 0, words);
  kernel.setArg(1, count);
  // A GPU's look crosses the bus, so its looks last half a second at most, before a watchdog ends the kernel: that of
  // Windows resets the device for everybody after two seconds. A CPU's look takes a nanosecond, and the system may keep
  // the asking thread off its core for many milliseconds.
  const bool cpu = (handles.device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_CPU) != 0;
  kernel.setArg(2, cpu ? 500'000'000u : 250'000u);
  const std::atomic_ref<std::uint32_t> question(words[0]);
  const std::atomic_ref<std::uint32_t> answer(words[answer_word]);
  std::vector<Nanoseconds> times;
  cl::Event event;
  handles.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1), cl::NDRange(1), nullptr, &event);
  handles.queue.flush();
  const Clock::time_point latest = Clock::now() + longest_attempt;
  for (std::uint32_t number = 1; number <= count; ++number) {
    const Clock::time_point begin = Clock::now();
    question.store(number, std::memory_order_release);
    std::uint32_t looks = 0;
    while (answer.load(std::memory_order_acquire) < number) {
      if (++looks % 65536 != 0) continue;
      const auto status = event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
      if (status < 0) throw Error("the kernel that answers the CPU failed with " + error_name(status));
      if (status == CL_COMPLETE && answer.load() < number) return {};
      if (Clock::now() > latest) break;
    }
    if (Clock::now() > latest) {
      question.store(count, std::memory_order_release);  // the kernel waits for no more than this
      event.wait();
      return {};
    }
    times.push_back(Clock::now() - begin);
  }
  event.wait();
  return times;
}

}  // namespace

std::vector<Nanoseconds> round_trips(const ContextHandles& handles, std::uint32_t count) {
  return translated([&] {
    if (!missing_shared_memory_function().empty()) {
      throw Unsupported("the CPU and a running kernel cannot answer each other: the OpenCL loader lacks " +
                        missing_shared_memory_function());
    }
    constexpr cl_device_svm_capabilities needed = CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS;
    if ((shared_virtual_memory(handles.device) & needed) != needed) {
      throw Unsupported(
          "the CPU and a running kernel cannot answer each other: the driver has no fine-grained shared memory "
          "with atomics (its CL_DEVICE_SVM_CAPABILITIES)");
    }
    cl::Kernel kernel = build_answering(handles);
    for (int attempt = 0; attempt < attempts; ++attempt) {
      const std::vector<Nanoseconds> times = try_round_trips(handles, kernel, count);
      if (!times.empty()) return times;
    }
    throw Unsupported("a running kernel did not see what the CPU wrote, or did not run while the CPU waited for it");
  });
}

}  // namespace sonde::device::opencl
