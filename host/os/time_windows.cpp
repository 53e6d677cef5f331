#include <windows.h>
#include <x86intrin.h>

#include <algorithm>
#include <limits>

#include "os/time.hpp"
#include "os/windows.hpp"

// Source: CreateWaitableTimerEx; GetProcessTimes and GetSystemTimes, which count whole ticks
// in units of 100 ns; QueryThreadCycleTime, in cycles of the time-stamp counter.
namespace sonde::os {
namespace {

constexpr std::int64_t ns_per_unit = 100;

/// Each thread has a timer of high resolution where the system has such (since Windows 10, version 1803): others end at
/// the system's next tick, up to 16 ms later.
HANDLE timer() {
  constexpr DWORD high_resolution = 0x2;  // CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
  thread_local const OwnHandle one = [] {
    OwnHandle made = own(CreateWaitableTimerExW(nullptr, nullptr, high_resolution, TIMER_ALL_ACCESS));
    return made ? std::move(made) : own(CreateWaitableTimerExW(nullptr, nullptr, 0, TIMER_ALL_ACCESS));
  }();
  return one.get();
}

double seconds(const FILETIME& time) {
  return static_cast<double>((static_cast<std::uint64_t>(time.dwHighDateTime) << 32) | time.dwLowDateTime) *
         static_cast<double>(ns_per_unit) * 1e-9;
}

/// The frequency of the time-stamp counter, within a thousandth after 10 ms; was_interrupted tolerates a hundredth.
double cycles_per_second() {
  static const double rate = [] {
    constexpr std::int64_t watched_ns = 10'000'000;
    const std::int64_t begin = steady_ns();
    const std::uint64_t first = __rdtsc();
    std::int64_t now = begin;
    while (now - begin < watched_ns) now = steady_ns();
    return static_cast<double>(__rdtsc() - first) * 1e9 / static_cast<double>(now - begin);
  }();
  return rate;
}

}  // namespace

void sleep_until_ns(std::int64_t moment) noexcept {
  for (;;) {
    const std::int64_t left = moment - steady_ns();
    if (left <= 0) return;
    LARGE_INTEGER due;
    due.QuadPart = -std::max<std::int64_t>(1, left / ns_per_unit);  // below zero: from now on
    if (timer() != nullptr && SetWaitableTimer(timer(), &due, 0, nullptr, nullptr, FALSE) != 0) {
      WaitForSingleObject(timer(), INFINITE);
    } else {
      Sleep(1);
    }
  }
}

CpuTime cpu_time_of_this_process() {
  FILETIME created;
  FILETIME ended;
  FILETIME kernel;
  FILETIME user;
  if (GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user) == 0) return {};
  return {.seconds = seconds(kernel) + seconds(user), .involuntary_switches = 0};
}

double cpu_seconds_of_all_threads() { return std::numeric_limits<double>::quiet_NaN(); }

CpuTime cpu_time_of_this_thread() {
  // GetThreadTimes would count whole ticks of 16 ms. Wine counts no cycles; there no thread is ever found interrupted.
  ULONG64 cycles = 0;
  if (QueryThreadCycleTime(GetCurrentThread(), &cycles) == 0 || cycles == 0)
    return {.seconds = std::numeric_limits<double>::quiet_NaN(), .involuntary_switches = 0};
  return {.seconds = static_cast<double>(cycles) / cycles_per_second(), .involuntary_switches = 0};
}

MachineTime cpu_time_of_this_machine() {
  FILETIME idle;
  FILETIME kernel;  // includes `idle`
  FILETIME user;
  if (GetSystemTimes(&idle, &kernel, &user) == 0) return {};
  constexpr double tick_seconds = 1.0 / 64;
  return {.busy = seconds(kernel) + seconds(user) - seconds(idle), .steal = 0, .tick = tick_seconds};
}

}  // namespace sonde::os
