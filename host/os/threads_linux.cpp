#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <string>

#include "os/threads.hpp"

namespace sonde::os {

ThreadId this_thread() { return gettid(); }

std::vector<ThreadId> threads_of_this_process() {
  std::vector<ThreadId> all;
  std::error_code ignored;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    const std::string name = thread.path().filename().string();
    ThreadId id = 0;
    std::from_chars(name.data(), name.data() + name.size(), id);
    if (id > 0) all.push_back(id);
  }
  return all;
}

void name_this_thread(const char* name) { pthread_setname_np(pthread_self(), name); }

Cpus allowed_cpus(ThreadId thread) {
  cpu_set_t set;
  if (sched_getaffinity(static_cast<pid_t>(thread), sizeof set, &set) != 0) return {};
  Cpus cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.insert(cpus.end(), cpu);
  }
  return cpus;
}

bool allow_cpus(ThreadId thread, const Cpus& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  return sched_setaffinity(static_cast<pid_t>(thread), sizeof set, &set) == 0;
}

void yield_to_others() {
  constexpr int least_urgent = 19;
  (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), least_urgent);  // of this thread alone, on Linux
}

}  // namespace sonde::os
