#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "os/linux_files.hpp"
#include "os/time.hpp"

namespace sonde::os {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double seconds_of_clock(clockid_t clock) {
  timespec used{};
  clock_gettime(clock, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

rusage usage_of(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return usage;
}

}  // namespace

void sleep_until_ns(std::int64_t moment) noexcept {
  constexpr std::int64_t ns_per_second = 1'000'000'000;
  const timespec until{.tv_sec = moment / ns_per_second, .tv_nsec = moment % ns_per_second};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

CpuTime cpu_time_of_this_process() {
  const rusage usage = usage_of(RUSAGE_SELF);
  return {.seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime),
          .involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw)};
}

double cpu_seconds_of_all_threads() { return seconds_of_clock(CLOCK_PROCESS_CPUTIME_ID); }

CpuTime cpu_time_of_this_thread() {
  return {.seconds = seconds_of_clock(CLOCK_THREAD_CPUTIME_ID),
          .involuntary_switches = static_cast<std::uint64_t>(usage_of(RUSAGE_THREAD).ru_nivcsw)};
}

MachineTime cpu_time_of_this_machine() {
  std::ifstream file("/proc/stat");
  std::string line;
  std::getline(file, line);
  return machine_time_in(line, static_cast<double>(sysconf(_SC_CLK_TCK)));
}

}  // namespace sonde::os
