#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sonde::os {

/// Whether /proc and /sys describe this system and its devices. Wine shows those of the Linux below it, which no
/// Windows has.
#if defined(__linux__)
inline constexpr bool has_proc_and_sys = true;
#else
inline constexpr bool has_proc_and_sys = false;
#endif

/// The system's description of itself; texts are empty where it gives none.
struct Machine {
  std::string name;                 ///< in the network
  std::string system;               ///< "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;               ///< "Linux 6.1.0"
  std::string processor;            ///< the maker's name of it, else its cores' numbers, else the architecture
  std::optional<bool> virtualised;  ///< empty where nothing tells
};
Machine describe_machine();

// Each of these is 0 where the system does not tell.
std::uint32_t online_cpus();
std::uint32_t configured_cpus();
std::uint64_t memory_bytes();
std::uint64_t first_data_cache_bytes();

/// Bytes of host memory that can be taken without swapping others out: the kernel's MemAvailable or what the control
/// groups of this process and those above them leave, whichever is less. Source: Linux procfs and cgroup v1 and v2.
std::uint64_t available_memory_bytes();

/// CPUs' worth of time that the control groups or the job of this process allow it, the least of them; nothing without
/// a limit. A process that sees more CPUs than that is throttled. Source: Linux cgroup v1 and v2; Windows' jobs.
std::optional<double> cpu_quota();

/// The number of processes on this machine that the kernel has ended for lack of memory since it started, of the whole
/// machine or of a control group; 0 where it does not count them. Source: proc_vmstat(5), oom_kill.
std::uint64_t out_of_memory_kills();

}  // namespace sonde::os
