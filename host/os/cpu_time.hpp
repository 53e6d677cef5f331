#pragma once

#include <cstdint>

namespace sonde::os {

/// What this process and all its threads have used since it began.
struct CpuTime {
  double seconds = 0;
  std::uint64_t involuntary_switches = 0;  ///< times a thread was put off its CPU
};
CpuTime cpu_time_of_this_process();
/// The same seconds, to microseconds; no number where the system counts whole ticks (Windows).
double cpu_seconds_of_all_threads();
/// Of the calling thread; its seconds are no number where the system does not say. What interrupts and the hypervisor
/// took meanwhile is no time of its own, where the system keeps account of them (Linux: CONFIG_IRQ_TIME_ACCOUNTING,
/// CONFIG_PARAVIRT_TIME_ACCOUNTING).
CpuTime cpu_time_of_this_thread();

/// Whether a thread did not have its core for all of the time that passed: it was put off it, or got less of it than
/// passed, by more than reading two clocks one after the other can make and a hundredth.
inline bool was_interrupted(const CpuTime& before, const CpuTime& after, double passed_seconds) {
  constexpr double two_readings_seconds = 1e-6;
  constexpr double tolerated_share = 0.01;
  const double lost_seconds = passed_seconds - (after.seconds - before.seconds);
  return after.involuntary_switches != before.involuntary_switches ||
         lost_seconds > two_readings_seconds + tolerated_share * passed_seconds;
}

/// Of all CPUs of this machine, seconds since some fixed moment.
struct MachineTime {
  double busy = 0;   ///< by any process or interrupt
  double steal = 0;  ///< taken by the hypervisor for others; 0 where the system does not know
  double tick = 0;   ///< the step in which `busy` counts
};
/// From Linux' /proc/stat or Windows' GetSystemTimes; zeros where they cannot be read.
MachineTime cpu_time_of_this_machine();

}  // namespace sonde::os
