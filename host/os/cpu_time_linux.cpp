#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "os/cpu_time.hpp"
#include "os/linux_texts.hpp"

namespace sonde::os {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

CpuTime cpu_time_of_this_process() {
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  return {.seconds = seconds(own.ru_utime) + seconds(own.ru_stime),
          .involuntary_switches = static_cast<std::uint64_t>(own.ru_nivcsw)};
}

double cpu_seconds_of_all_threads() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

CpuTime cpu_time_of_this_thread() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  rusage own{};
  getrusage(RUSAGE_THREAD, &own);
  return {.seconds = static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9,
          .involuntary_switches = static_cast<std::uint64_t>(own.ru_nivcsw)};
}

MachineTime cpu_time_of_this_machine() {
  std::ifstream file("/proc/stat");
  std::string line;
  std::getline(file, line);
  return machine_time_in(line, static_cast<double>(sysconf(_SC_CLK_TCK)));
}

}  // namespace sonde::os
