#pragma once

#include <cstdint>

namespace sonde::os {

/// What this process and all its threads have used since it began.
struct CpuTime {
  double seconds = 0;
  std::uint64_t involuntary_switches = 0;  ///< times a thread was put off its CPU
};
CpuTime cpu_time_of_this_process();
/// Of the calling thread. What interrupts and the hypervisor took meanwhile is no time of its own, where the system
/// keeps account of them (Linux: CONFIG_IRQ_TIME_ACCOUNTING, CONFIG_PARAVIRT_TIME_ACCOUNTING).
CpuTime cpu_time_of_this_thread();

/// The unit in which the system counts the time of its CPUs (/proc/stat).
double cpu_ticks_per_second();

}  // namespace sonde::os
