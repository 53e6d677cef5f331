#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

// What Linux' control groups allow a process. They compile everywhere and take a root folder, so that tests need no
// Linux. Sources: man 7 cgroups; kernel, Documentation/admin-guide/cgroup-v2.rst (memory, cpu.max),
// cgroup-v1/memory.rst and scheduler/sched-bwc.rst (cpu.cfs_quota_us).
namespace sonde::os {

/// The bytes that this process's groups, and all groups above them, still let it take, the least of them. Page cache
/// counts as free, as the kernel gives it back. Nothing without a limit.
std::optional<std::uint64_t> memory_left_in_groups(const std::filesystem::path& root);

/// CPUs' worth of time that they allow, the least of them; nothing without a limit.
std::optional<double> cpu_quota_of_groups(const std::filesystem::path& root);

}  // namespace sonde::os
