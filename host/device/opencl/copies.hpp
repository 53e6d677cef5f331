#pragma once

#include <functional>
#include <memory>

#include "device/copy_engines.hpp"
#include "device/opencl/buffer.hpp"

namespace sonde::device::opencl {

/// Enqueues a kernel on the device's own queue.
using EnqueueKernel = std::function<cl::Event(Kernel& kernel, const Launch& launch)>;

/// Copies through command queues of their own, in order. `device` must outlive them.
std::unique_ptr<CopyEngines> make_copy_engines(Device& device, const Place& place, EnqueueKernel enqueue_kernel);

}  // namespace sonde::device::opencl
