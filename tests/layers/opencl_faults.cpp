// An OpenCL layer (OPENCL_LAYERS) for the tests that makes the driver below it fail as SONDE_FAULTS says (faults.hpp).
// It has these effects beside those of every function:
//   garble      one byte is wrong: in the result of clEnqueueReadBuffer, in the target of clEnqueueWriteBuffer and
//               clEnqueueCopyBuffer, and in the mapping of clEnqueueMapBuffer
//   arithmetic  clCreateProgramWithSource: two more instructions in each step of a walk, which change no result, as
//               from a driver that has become slower
//   addition    the same of one addition in each fourth step
//   copies      clEnqueueMapBuffer: the CPU gets a copy, which is written back by the unmap
//   still, backwards, wrap
//               clGetEventProfilingInfo: the clock stands still, runs backwards, or has 32 bits
//   longer      clGetEventProfilingInfo: everything takes 5 % longer

#include <CL/cl_layer.h>

#include <cstring>
#include <map>
#include <memory>
#include <tuple>
#include <type_traits>

#include "faults.hpp"

namespace {

const cl_icd_dispatch* below = nullptr;
cl_icd_dispatch hooked{};
faults::AfterWait after_wait;

template <typename Result, typename... Arguments>
Result failed(cl_int error, std::tuple<Arguments...> arguments) {
  if constexpr (std::is_pointer_v<Result>) {
    using Last = std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>;
    if constexpr (std::is_same_v<Last, cl_int*>) {
      if (cl_int* const status = std::get<sizeof...(Arguments) - 1>(arguments)) *status = error;
    }
    return nullptr;
  } else {
    return error;
  }
}

/// Stands before one function of the driver.
template <auto function>
struct Hook;

/// Calls the driver's function; specializations apply the effect.
template <auto function, typename... Arguments>
auto call_driver(std::string_view, Arguments... arguments) {
  return (below->*function)(arguments...);
}

template <typename Result, typename... Arguments, Result (CL_API_CALL* cl_icd_dispatch::*function)(Arguments...)>
struct Hook<function> {
  static inline std::string_view name;

  static Result CL_API_CALL call(Arguments... arguments) {
    const std::string effect = faults::effect_now(name);
    faults::apply_general(name, effect);
    if (faults::is_number(effect)) {
      // A device that is lost is no longer at work.
      if (faults::waits(name)) (void)(below->*function)(arguments...);
      return failed<Result>(std::stoi(effect), std::tuple<Arguments...>(arguments...));
    }
    return call_driver<function>(effect, arguments...);
  }
};

template <>
auto call_driver<&cl_icd_dispatch::clEnqueueReadBuffer>(std::string_view effect, cl_command_queue queue, cl_mem buffer,
                                                        cl_bool blocking, std::size_t offset, std::size_t bytes,
                                                        void* into, cl_uint events, const cl_event* after,
                                                        cl_event* event) {
  const cl_int status = below->clEnqueueReadBuffer(queue, buffer, blocking, offset, bytes, into, events, after, event);
  if (effect == "garble") {
    after_wait.add([=] { faults::garble(into, bytes); });
    if (blocking != CL_FALSE) after_wait.run();
  }
  return status;
}

template <>
auto call_driver<&cl_icd_dispatch::clEnqueueWriteBuffer>(std::string_view effect, cl_command_queue queue, cl_mem buffer,
                                                         cl_bool blocking, std::size_t offset, std::size_t bytes,
                                                         const void* from, cl_uint events, const cl_event* after,
                                                         cl_event* event) {
  const auto copy = std::make_shared<std::vector<unsigned char>>();
  if (effect == "garble") {
    const auto* const first = static_cast<const unsigned char*>(from);
    copy->assign(first, first + bytes);
    faults::garble(copy->data(), bytes);
    from = copy->data();
  }
  const cl_int status = below->clEnqueueWriteBuffer(queue, buffer, blocking, offset, bytes, from, events, after, event);
  if (!copy->empty()) after_wait.add([copy] {});  // keeps the copy, which the driver may read until then
  return status;
}

template <>
auto call_driver<&cl_icd_dispatch::clEnqueueCopyBuffer>(std::string_view effect, cl_command_queue queue, cl_mem from,
                                                        cl_mem into, std::size_t from_offset, std::size_t offset,
                                                        std::size_t bytes, cl_uint events, const cl_event* after,
                                                        cl_event* event) {
  const cl_int status = below->clEnqueueCopyBuffer(queue, from, into, from_offset, offset, bytes, events, after, event);
  if (effect == "garble") {
    after_wait.add([=] {
      unsigned char byte = 0;
      below->clEnqueueReadBuffer(queue, into, CL_TRUE, offset + bytes / 2, 1, &byte, 0, nullptr, nullptr);
      faults::garble(&byte, 1);
      below->clEnqueueWriteBuffer(queue, into, CL_TRUE, offset + bytes / 2, 1, &byte, 0, nullptr, nullptr);
    });
  }
  return status;
}

template <>
auto call_driver<&cl_icd_dispatch::clCreateProgramWithSource>(std::string_view effect, cl_context context,
                                                              cl_uint count, const char** texts,
                                                              const std::size_t* bytes, cl_int* status) {
  const bool is_small = effect == "addition";
  if (effect != "arithmetic" && !is_small)
    return below->clCreateProgramWithSource(context, count, texts, bytes, status);
  constexpr std::string_view step = "#define STEP at = *WORD_AT(next, at);";
  constexpr std::string_view four_steps = "#define STEPS_4 STEP STEP STEP STEP";
  std::string text;
  for (cl_uint i = 0; i < count; ++i) {
    const bool is_whole = bytes == nullptr || bytes[i] == 0;
    text += is_whole ? std::string_view(texts[i]) : std::string_view(texts[i], bytes[i]);
  }
  // No compiler knows that there are fewer than 2^31 trips, so it keeps these instructions.
  if (const std::size_t at = text.find(step); at != std::string::npos) {
    if (is_small) {
      text.insert(text.find(four_steps) + four_steps.size(), " at += trips >> 31;");
    } else {
      text.insert(at + step.size(), " at ^= trips >> 31; at += trips >> 31;");
    }
  }
  const char* first = text.c_str();
  const std::size_t length = text.size();
  return below->clCreateProgramWithSource(context, 1, &first, &length, status);
}

/// The copy that the CPU got in place of a mapping.
struct MappedCopy {
  std::vector<unsigned char> bytes;
  std::size_t offset = 0;
  bool is_written = false;
};
std::map<void*, MappedCopy> copies;

template <>
auto call_driver<&cl_icd_dispatch::clEnqueueMapBuffer>(std::string_view effect, cl_command_queue queue, cl_mem buffer,
                                                       cl_bool blocking, cl_map_flags flags, std::size_t offset,
                                                       std::size_t bytes, cl_uint events, const cl_event* after,
                                                       cl_event* event, cl_int* status) {
  if (effect != "copies") {
    void* const mapped =
        below->clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, bytes, events, after, event, status);
    if (effect == "garble" && mapped != nullptr) faults::garble(mapped, bytes);
    return mapped;
  }
  MappedCopy copy{.bytes = std::vector<unsigned char>(bytes), .offset = offset, .is_written = flags != CL_MAP_READ};
  void* const mapped = copy.bytes.data();
  const cl_int read = below->clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset, bytes, mapped, events, after, event);
  if (status != nullptr) *status = read;
  copies.emplace(mapped, std::move(copy));
  return mapped;
}

template <>
auto call_driver<&cl_icd_dispatch::clEnqueueUnmapMemObject>(std::string_view, cl_command_queue queue, cl_mem buffer,
                                                            void* mapped, cl_uint events, const cl_event* after,
                                                            cl_event* event) {
  const auto copy = copies.find(mapped);
  if (copy == copies.end()) return below->clEnqueueUnmapMemObject(queue, buffer, mapped, events, after, event);
  const MappedCopy& from = copy->second;
  const cl_int status = from.is_written
                            ? below->clEnqueueWriteBuffer(queue, buffer, CL_TRUE, from.offset, from.bytes.size(),
                                                          from.bytes.data(), events, after, event)
                            : below->clEnqueueMarkerWithWaitList(queue, events, after, event);
  copies.erase(copy);
  return status;
}

template <>
auto call_driver<&cl_icd_dispatch::clFinish>(std::string_view, cl_command_queue queue) {
  const cl_int status = below->clFinish(queue);
  after_wait.run();
  return status;
}

template <>
auto call_driver<&cl_icd_dispatch::clWaitForEvents>(std::string_view, cl_uint count, const cl_event* events) {
  const cl_int status = below->clWaitForEvents(count, events);
  after_wait.run();
  return status;
}

template <>
auto call_driver<&cl_icd_dispatch::clGetEventProfilingInfo>(std::string_view effect, cl_event event,
                                                            cl_profiling_info what, std::size_t bytes, void* into,
                                                            std::size_t* needed) {
  const cl_int status = below->clGetEventProfilingInfo(event, what, bytes, into, needed);
  if (status == CL_SUCCESS && into != nullptr) {
    cl_ulong time = 0;
    std::memcpy(&time, into, sizeof time);
    time = faults::wrong_time(effect, time);
    cl_ulong start = 0;
    if (effect == "longer" && what == CL_PROFILING_COMMAND_END &&
        below->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr) == CL_SUCCESS)
      time += (time - start) / 20;
    std::memcpy(into, &time, sizeof time);
  }
  return status;
}

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
  faults::begin("opencl");
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
