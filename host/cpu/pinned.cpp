#include "cpu/pinned.hpp"

#include <cstddef>

namespace sonde::cpu {

Pinned::Pinned(int cpu) {
  if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(cpu), &one);
  holds_ = sched_setaffinity(0, sizeof one, &one) == 0;
}

Pinned::~Pinned() {
  if (holds_) sched_setaffinity(0, sizeof before_, &before_);
}

void keep_off(pid_t thread, int cpu) {
  cpu_set_t others;
  if (sched_getaffinity(thread, sizeof others, &others) != 0) return;
  CPU_CLR(static_cast<std::size_t>(cpu), &others);
  if (CPU_COUNT(&others) > 0) sched_setaffinity(thread, sizeof others, &others);
}

}  // namespace sonde::cpu
