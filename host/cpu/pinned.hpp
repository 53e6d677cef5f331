#pragma once

#include <sched.h>
#include <sys/types.h>

namespace sonde::cpu {

/// Keeps the calling thread on one CPU while it lives; its mask is as before afterwards.
class Pinned {
 public:
  explicit Pinned(int cpu);
  ~Pinned();
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  /// False where the system refused: the thread goes where it is put.
  [[nodiscard]] bool holds() const { return holds_; }

 private:
  cpu_set_t before_{};
  bool holds_ = false;
};

/// Leaves a thread of this process every CPU that it may use now but one, where there is another.
void keep_off(pid_t thread, int cpu);

}  // namespace sonde::cpu
