#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace sonde::os {

/// Nanoseconds of the steady clock since some fixed moment.
inline std::int64_t steady_ns() noexcept {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Sleeps until the steady clock shows `moment`, and returns at once if it has passed. A moment, unlike a duration,
/// lets a caller keep a fixed period whatever it did in between.
void sleep_until_ns(std::int64_t moment) noexcept;

/// A steady clock without the time in which this process was stopped (Ctrl-Z) or frozen (a paused container): limits
/// count by it. Whoever waits notices that a wait took far too long, and has that left out.
class RunningClock {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the standard's names for a clock
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<RunningClock>;
  // NOLINTEND(readability-identifier-naming)
  static constexpr bool is_steady = true;

  static time_point now() noexcept { return time_point(duration(steady_ns()) - left_out()); }
  static void leave_out(duration stopped) noexcept { left_out_ns += stopped.count(); }
  /// All that was left out so far.
  static duration left_out() noexcept { return duration(left_out_ns); }

 private:
  static inline std::atomic<rep> left_out_ns = 0;
};

/// CPU time used so far by a process with all its threads, or by one thread.
struct CpuTime {
  double seconds = 0;
  std::uint64_t involuntary_switches = 0;  ///< times that the scheduler took a CPU away
};
CpuTime cpu_time_of_this_process();

/// The seconds of cpu_time_of_this_process() to the microsecond; NaN where the system counts whole ticks (Windows).
double cpu_seconds_of_all_threads();

/// The calling thread's; `seconds` is NaN where the system does not count them. Interrupts and the hypervisor's share
/// are left out where the kernel accounts for them (Linux: CONFIG_IRQ_TIME_ACCOUNTING,
/// CONFIG_PARAVIRT_TIME_ACCOUNTING).
CpuTime cpu_time_of_this_thread();

/// Whether a thread lost its core during the time that passed: it was switched out, or its CPU time is shorter than
/// that by over 1 % and the microsecond that reading two clocks one after the other takes.
inline bool was_interrupted(const CpuTime& before, const CpuTime& after, double passed_seconds) {
  constexpr double two_readings_seconds = 1e-6;
  constexpr double tolerated_share = 0.01;
  const double lost_seconds = passed_seconds - (after.seconds - before.seconds);
  return after.involuntary_switches != before.involuntary_switches ||
         lost_seconds > two_readings_seconds + tolerated_share * passed_seconds;
}

/// Seconds summed over all CPUs of this machine since some fixed moment.
struct MachineTime {
  double busy = 0;   ///< any process or interrupt ran
  double steal = 0;  ///< the hypervisor ran others; 0 where the system does not know
  double tick = 0;   ///< the step in which `busy` counts
};
/// Read from Linux' /proc/stat or Windows' GetSystemTimes; zeros where that fails.
MachineTime cpu_time_of_this_machine();

}  // namespace sonde::os
