#pragma once

#include "device/device.hpp"

namespace sonde::cpu {

/// The CPU's own description, which needs no driver; its api is `cpu`.
[[nodiscard]] device::DeviceInfo describe();

/// The CPU as a device: memory of this process, and the one kernel, alu_chain, that settles a clock, run by the calling
/// thread. What walks memory on a core is native code of the workloads.
[[nodiscard]] std::unique_ptr<device::Device> open();

/// Loads in one window of a chase: a tenth of a millisecond in memory, which is short beside a dispatch and long beside
/// two readings of the clock. A chase makes as many before its first window.
inline constexpr int loads_in_a_window = 1024;

/// A thread on a core of its own that follows the endless chain of pointers from `at` on, and leaves `at` where it
/// stops. Chain and `at` have to outlive it. The next chase goes on there: from the start it would hit what the last
/// one has just brought into a cache.
[[nodiscard]] std::unique_ptr<device::Companion> chase_on(int cpu, const std::byte*& at);

}  // namespace sonde::cpu
