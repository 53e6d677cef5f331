#include "measure/one_core.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace sonde::measure {
namespace {

/// Every thread of this process with the CPUs that it may use.
std::vector<std::pair<pid_t, cpu_set_t>> threads_and_cpus() {
  std::vector<std::pair<pid_t, cpu_set_t>> all;
  std::error_code ignored;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    const auto id = static_cast<pid_t>(std::strtol(thread.path().filename().c_str(), nullptr, 10));
    cpu_set_t cpus;
    if (sched_getaffinity(id, sizeof cpus, &cpus) == 0) all.emplace_back(id, cpus);
  }
  return all;
}

}  // namespace

OneCore::OneCore(pid_t spared) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  // The last allowed CPU: the first ones serve most interrupts.
  int last = -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) last = cpu;
  }
  if (last < 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(last), &one);
  before_ = threads_and_cpus();
  for (const auto& [thread, cpus] : before_) sched_setaffinity(thread, sizeof one, &one);
  if (spared == 0) return;
  cpu_set_t others;
  CPU_XOR(&others, &allowed, &one);
  if (CPU_COUNT(&others) > 0) sched_setaffinity(spared, sizeof others, &others);
}

OneCore::~OneCore() {
  // A driver may have given its threads a core each. Those that it began meanwhile have inherited the one core.
  for (const auto& [thread, now] : threads_and_cpus()) {
    const cpu_set_t* cpus = before_.empty() ? nullptr : &before_.front().second;
    for (const auto& [known, own] : before_) {
      if (known == thread) cpus = &own;
    }
    if (cpus != nullptr) sched_setaffinity(thread, sizeof *cpus, cpus);
  }
}

}  // namespace sonde::measure
