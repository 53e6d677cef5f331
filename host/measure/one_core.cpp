#include "measure/one_core.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace sonde::measure {
namespace {

void confine_all_threads(const cpu_set_t& cpus) {
  std::error_code ignored;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    const auto id = static_cast<pid_t>(std::strtol(thread.path().filename().c_str(), nullptr, 10));
    sched_setaffinity(id, sizeof cpus, &cpus);
  }
}

}  // namespace

OneCore::OneCore(pid_t spared) {
  if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  // The last allowed CPU: the first ones serve most interrupts.
  int last = -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &before_)) last = cpu;
  }
  if (last < 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(last), &one);
  confine_all_threads(one);
  confined_ = true;
  if (spared == 0) return;
  cpu_set_t others;
  CPU_XOR(&others, &before_, &one);
  if (CPU_COUNT(&others) > 0) sched_setaffinity(spared, sizeof others, &others);
}

OneCore::~OneCore() {
  if (confined_) confine_all_threads(before_);
}

}  // namespace sonde::measure
