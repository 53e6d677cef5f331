#pragma once

#include <cstdint>
#include <vector>

#include "device/opencl/buffer.hpp"

namespace sonde::device::opencl {

/// The CPU writes a word, a kernel that is running answers it, the CPU sees the answer: so many times of that, through
/// fine-grained shared virtual memory with atomics. Throws Unsupported where the device has none, or does not run on.
std::vector<Nanoseconds> round_trips(const Place& place, std::uint32_t count);

}  // namespace sonde::device::opencl
