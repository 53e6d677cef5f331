#include <windows.h>
#include <x86intrin.h>

#include <limits>

#include "os/clock.hpp"
#include "os/cpu_time.hpp"

// Source: GetProcessTimes and GetSystemTimes, in 100 ns and of whole ticks; QueryThreadCycleTime, in cycles of the
// time-stamp counter.
namespace sonde::os {
namespace {

constexpr double seconds_per_unit = 100e-9;

double seconds(const FILETIME& time) {
  return static_cast<double>((static_cast<std::uint64_t>(time.dwHighDateTime) << 32) | time.dwLowDateTime) *
         seconds_per_unit;
}

/// How fast the time-stamp counter goes: within a thousandth after 10 ms, and was_interrupted allows a hundredth.
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
  // Not GetThreadTimes, which counts whole ticks of 16 ms. Wine has no cycles; then nobody is told to be interrupted.
  ULONG64 cycles = 0;
  if (QueryThreadCycleTime(GetCurrentThread(), &cycles) == 0 || cycles == 0)
    return {.seconds = std::numeric_limits<double>::quiet_NaN(), .involuntary_switches = 0};
  return {.seconds = static_cast<double>(cycles) / cycles_per_second(), .involuntary_switches = 0};
}

MachineTime cpu_time_of_this_machine() {
  FILETIME idle;
  FILETIME kernel;  // with the time in which nothing runs
  FILETIME user;
  if (GetSystemTimes(&idle, &kernel, &user) == 0) return {};
  constexpr double tick_seconds = 1.0 / 64;
  return {.busy = seconds(kernel) + seconds(user) - seconds(idle), .steal = 0, .tick = tick_seconds};
}

}  // namespace sonde::os
