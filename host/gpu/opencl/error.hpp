#pragma once

#include <string>

#include "gpu/error.hpp"
#include "gpu/opencl/list.hpp"

namespace sonde::gpu::opencl {

/// Calls `work` and turns what opencl.hpp throws into the two exceptions that the runner knows.
template <typename Work>
auto translated(Work work) {
  try {
    return work();
  } catch (const cl::Error& error) {
    const std::string text = std::string(error.what()) + " failed with " + error_name(error.err());
    if (error.err() == CL_MEM_OBJECT_ALLOCATION_FAILURE || error.err() == CL_INVALID_BUFFER_SIZE) {
      throw Unsupported("the driver refused the allocation: " + text);
    }
    throw Error(text);
  }
}

}  // namespace sonde::gpu::opencl
