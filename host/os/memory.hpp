#pragma once

#include <cstdint>

namespace sonde::os {

/// Bytes of host memory that can be taken without pressing anybody out: the kernel's MemAvailable, and what the
/// control group of this process leaves, whichever is less. Source: Linux procfs and cgroup v1 and v2.
std::uint64_t available_memory_bytes();

}  // namespace sonde::os
