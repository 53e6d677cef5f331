#include "device/opencl/round_trip.hpp"

#include <atomic>
#include <chrono>
#include <string>

#include "device/opencl/error.hpp"

namespace sonde::device::opencl {
namespace {

/// words: [0] the CPU's, [16] the kernel's, a line apart. The kernel looks at most `most_looks` times for each number,
/// so that one whose CPU never comes, or is not seen, ends by itself.
constexpr const char* source = R"(
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

/// A GPU's look crosses the bus, so that these are half a second at most, before its watchdog barks: that of Windows,
/// which takes the device away from everybody, after two. A CPU's takes a nanosecond, and while others run the system
/// may keep the asking thread away for many milliseconds.
std::uint32_t most_looks(const Place& place) {
  const bool cpu = (place.device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_CPU) != 0;
  return cpu ? 500'000'000 : 250'000;
}

constexpr std::size_t answer_word = 16;
constexpr std::chrono::seconds patience(3);
constexpr int attempts = 3;

/// Shared memory with atomics, freed at the end.
class Words {
 public:
  explicit Words(const cl::Context& context)
      : context_(context),
        words_(static_cast<std::uint32_t*>(
            ::clSVMAlloc(context(), CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 256, 0))) {
    if (words_ == nullptr) throw Unsupported("the driver refused shared memory with atomics");
  }
  ~Words() { ::clSVMFree(context_(), words_); }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  [[nodiscard]] std::uint32_t* get() const { return words_; }

 private:
  cl::Context context_;
  std::uint32_t* words_;
};

bool has_ended(const cl::Event& event) {
  const auto status = event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
  if (status < 0) throw Error("the kernel that answers the CPU failed with " + error_name(status));
  return status == CL_COMPLETE;
}

/// In the language that has atomics of the scope that the CPU is in, or else in the first, whose atomics are a CPU's
/// own where the device is one. (Some drivers with such memory build only the latter.)
cl::Kernel built(const Place& place) {
  for (const char* language : {"-cl-std=CL2.0", "-cl-std=CL3.0"}) {
    try {
      const cl::Program program(place.context, std::string(source));
      program.build(place.device, language);
      return {program, "answer"};
    } catch (const cl::Error&) {
      // The next, or the last below, whose failure is the driver's word.
    }
  }
  const cl::Program program(place.context, std::string(source));
  program.build(place.device, "-cl-std=CL1.2");
  return {program, "answer"};
}

/// Empty where the kernel gave up before all were answered.
std::vector<Nanoseconds> tried(const Place& place, cl::Kernel& kernel, std::uint32_t count) {
  using Clock = std::chrono::steady_clock;
  const Words words(place.context);
  words.get()[0] = words.get()[answer_word] = 0;
  const cl_int status = ::clSetKernelArgSVMPointer(kernel(), 0, words.get());
  if (status != CL_SUCCESS) throw cl::Error(status, "clSetKernelArgSVMPointer");
  kernel.setArg(1, count);
  kernel.setArg(2, most_looks(place));
  const std::atomic_ref<std::uint32_t> question(words.get()[0]);
  const std::atomic_ref<std::uint32_t> answer(words.get()[answer_word]);
  std::vector<Nanoseconds> times;
  cl::Event event;
  place.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1), cl::NDRange(1), nullptr, &event);
  place.queue.flush();
  const Clock::time_point latest = Clock::now() + patience;
  for (std::uint32_t number = 1; number <= count; ++number) {
    const Clock::time_point begin = Clock::now();
    question.store(number, std::memory_order_release);
    std::uint32_t looks = 0;
    while (answer.load(std::memory_order_acquire) < number) {
      if (++looks % 65536 != 0) continue;
      if (has_ended(event) && answer.load() < number) return {};
      if (Clock::now() > latest) break;
    }
    if (Clock::now() > latest) {
      question.store(count, std::memory_order_release);  // all that it could still wait for
      event.wait();
      return {};
    }
    times.push_back(Clock::now() - begin);
  }
  event.wait();
  return times;
}

}  // namespace

std::vector<Nanoseconds> round_trips(const Place& place, std::uint32_t count) {
  return translated([&] {
    if (!missing_shared_memory_function().empty()) {
      throw Unsupported("the CPU and a running kernel cannot answer each other: the OpenCL loader lacks " +
                        missing_shared_memory_function());
    }
    cl_device_svm_capabilities can = 0;
    (void)::clGetDeviceInfo(place.device(), CL_DEVICE_SVM_CAPABILITIES, sizeof can, &can, nullptr);
    constexpr cl_device_svm_capabilities needed = CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS;
    if ((can & needed) != needed) {
      throw Unsupported(
          "the CPU and a running kernel cannot answer each other: the driver has no fine-grained shared memory "
          "with atomics (its CL_DEVICE_SVM_CAPABILITIES)");
    }
    cl::Kernel kernel = built(place);
    for (int attempt = 0; attempt < attempts; ++attempt) {
      const std::vector<Nanoseconds> times = tried(place, kernel, count);
      if (!times.empty()) return times;
    }
    throw Unsupported(
        "a running kernel did not see what the CPU wrote meanwhile, or did not run while the CPU waited for it");
  });
}

}  // namespace sonde::device::opencl
