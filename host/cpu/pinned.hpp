#pragma once

#include "os/threads.hpp"

namespace sonde::cpu {

/// Keeps the calling thread on one CPU while it lives; afterwards it has those that it had before.
class Pinned {
 public:
  explicit Pinned(int cpu);
  ~Pinned();
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  /// False where the system refused: the thread goes where it is put.
  [[nodiscard]] bool holds() const { return holds_; }

 private:
  os::Cpus before_;
  bool holds_;
};

/// Leaves a thread of this process every CPU that it may use now but one, where there is another.
void keep_off(os::ThreadId thread, int cpu);

}  // namespace sonde::cpu
