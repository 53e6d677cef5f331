#pragma once

#include <string>

#include "device/error.hpp"
#include "device/opencl/list.hpp"

namespace sonde::device::opencl {

/// What `failure` of a call is to the runner, with the call's and the error's name and what to do.
[[noreturn]] inline void rethrow(const cl::Error& failure) {
  const cl_int code = failure.err();
  const std::string text = std::string(failure.what()) + " failed with " + error_name(code) + "; " + advice(code);
  switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_INVALID_BUFFER_SIZE: throw Unsupported("the driver refused the allocation: " + text);
    // Of what was there before: the driver has thrown it away.
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_INVALID_CONTEXT:
    case CL_INVALID_COMMAND_QUEUE: throw Lost(text);
    default: throw Error(text);
  }
}

/// Calls `work` and turns what opencl.hpp throws into the exceptions that the runner knows.
template <typename Work>
auto translated(Work work) {
  try {
    return work();
  } catch (const cl::Error& error) {
    rethrow(error);
  }
}

}  // namespace sonde::device::opencl
