// An OpenCL layer (OPENCL_LAYERS) that makes the driver below it fail as SONDE_FAULTS says: "CALL@N=EFFECT", several
// with blanks between. From the N-th call of a function on with "N+", else at the N-th alone. Effects:
//   -5 …        the call does nothing and returns this error
//   crash, exit the process ends in the call, by SIGABRT (drivers catch others) or by exit(0)
//   hang, slow  the call never returns, or a minute later than it would
//   garble      clEnqueueReadBuffer, blocking: one byte of what was read is another
//   still, backwards, wrap
//               clGetEventProfilingInfo: the clock stands still, runs backwards, or has 32 bits
// Counted are the calls of one process. For the tests alone.

#include <CL/cl_layer.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>

namespace {

const cl_icd_dispatch* below = nullptr;
cl_icd_dispatch hooked{};

struct Fault {
  std::uint64_t first = 1;
  bool from_then_on = false;
  std::string effect;
};

std::multimap<std::string, Fault, std::less<>> read_faults() {
  std::multimap<std::string, Fault, std::less<>> faults;
  const char* const text = std::getenv("SONDE_FAULTS");
  std::istringstream words(text != nullptr ? text : "");
  for (std::string word; words >> word;) {
    const std::size_t at = word.find('@');
    const std::size_t equals = word.find('=');
    if (at == std::string::npos || equals == std::string::npos) std::abort();
    const std::string number = word.substr(at + 1, equals - at - 1);
    faults.emplace(word.substr(0, at), Fault{std::stoull(number), number.ends_with('+'), word.substr(equals + 1)});
  }
  return faults;
}

/// The effect that is due at this call, empty where none is.
std::string_view due(std::string_view function, std::atomic<std::uint64_t>& calls) {
  static const auto faults = read_faults();
  const std::uint64_t call = ++calls;
  const auto [first, last] = faults.equal_range(function);
  for (auto one = first; one != last; ++one) {
    const Fault& fault = one->second;
    if (fault.from_then_on ? call >= fault.first : call == fault.first) return fault.effect;
  }
  return {};
}

void suffer(std::string_view effect) {
  if (effect == "crash") std::abort();
  if (effect == "exit") std::exit(0);
  if (effect == "slow") std::this_thread::sleep_for(std::chrono::minutes(1));
  while (effect == "hang") pause();
}

template <typename Result, typename... Arguments>
Result failed(cl_int error, std::tuple<Arguments...> arguments) {
  if constexpr (std::is_pointer_v<Result>) {
    using Last = std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>;
    if constexpr (std::is_same_v<Last, cl_int*>) {
      if (cl_int* const told = std::get<sizeof...(Arguments) - 1>(arguments)) *told = error;
    }
    return nullptr;
  } else {
    return error;
  }
}

bool is_error(std::string_view effect) { return effect.starts_with('-'); }

/// Stands before one function of the driver.
template <auto function>
struct Hook;

template <typename Result, typename... Arguments, Result (CL_API_CALL* cl_icd_dispatch::*function)(Arguments...)>
struct Hook<function> {
  static inline std::string_view name;
  static inline std::atomic<std::uint64_t> calls = 0;

  static Result CL_API_CALL call(Arguments... arguments) {
    const std::string_view effect = due(name, calls);
    suffer(effect);
    if (is_error(effect)) return failed<Result>(std::atoi(effect.data()), std::tuple<Arguments...>(arguments...));
    const Result result = (below->*function)(arguments...);
    if (!effect.empty()) spoil(effect, arguments...);
    return result;
  }

  template <typename... Others>
  static void spoil(std::string_view, Others...) {}
  static void spoil(std::string_view effect, cl_command_queue, cl_mem, cl_bool blocking, std::size_t, std::size_t bytes,
                    void* into, cl_uint, const cl_event*, cl_event*) {
    if (effect == "garble" && blocking != CL_FALSE && bytes > 0) static_cast<unsigned char*>(into)[bytes / 2] ^= 0x10u;
  }
  static void spoil(std::string_view effect, cl_event, cl_profiling_info, std::size_t, void* into, std::size_t*) {
    if (into == nullptr) return;
    cl_ulong time = 0;
    std::memcpy(&time, into, sizeof time);
    if (effect == "still") time = 1'000'000;
    if (effect == "backwards") time = ~time >> 1u;
    if (effect == "wrap") time &= 0xffffffffu;
    std::memcpy(into, &time, sizeof time);
  }
};

template <auto function>
void hook(std::string_view name) {
  Hook<function>::name = name;
  hooked.*function = &Hook<function>::call;
}

}  // namespace

extern "C" CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, std::size_t bytes, void* into,
                                                          std::size_t* needed) {
  constexpr std::string_view name = "Sonde's faults";
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  const bool of_version = what == CL_LAYER_API_VERSION;
  if (!of_version && what != CL_LAYER_NAME) return CL_INVALID_VALUE;
  const std::size_t all = of_version ? sizeof version : name.size() + 1;
  if (needed != nullptr) *needed = all;
  if (into == nullptr) return CL_SUCCESS;
  if (bytes < all) return CL_INVALID_VALUE;
  std::memcpy(into, of_version ? static_cast<const void*>(&version) : name.data(), all);
  return CL_SUCCESS;
}

extern "C" CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint, const cl_icd_dispatch* target, cl_uint* entries,
                                                       const cl_icd_dispatch** layer) {
  below = target;
#define HOOK(function) hook<&cl_icd_dispatch::function>(#function)
  HOOK(clBuildProgram);
  HOOK(clCreateBuffer);
  HOOK(clCreateCommandQueue);
  HOOK(clCreateCommandQueueWithProperties);
  HOOK(clCreateContext);
  HOOK(clCreateKernel);
  HOOK(clCreateProgramWithSource);
  HOOK(clEnqueueCopyBuffer);
  HOOK(clEnqueueMapBuffer);
  HOOK(clEnqueueNDRangeKernel);
  HOOK(clEnqueueReadBuffer);
  HOOK(clEnqueueSVMMap);
  HOOK(clEnqueueUnmapMemObject);
  HOOK(clEnqueueWriteBuffer);
  HOOK(clFinish);
  HOOK(clFlush);
  HOOK(clGetEventProfilingInfo);
  HOOK(clSVMAlloc);
  HOOK(clSetKernelArg);
  HOOK(clWaitForEvents);
#undef HOOK
  *entries = sizeof hooked / sizeof(void*);
  *layer = &hooked;
  return CL_SUCCESS;
}
