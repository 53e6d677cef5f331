#pragma once

#include "device/device.hpp"
#include "os/threads.hpp"

namespace sonde::cpu {

/// The steady clock, since some fixed moment.
inline device::Nanoseconds steady_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

/// Keeps the calling thread on one CPU while it lives, and restores the CPUs that it had before.
class Pinned {
 public:
  explicit Pinned(int cpu) : before_(os::allowed_cpus()), holds_(!before_.empty() && os::allow_cpus(0, {cpu})) {}
  ~Pinned() {
    if (holds_) os::allow_cpus(0, before_);
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  /// False where the system refused, so that the thread may run on any CPU.
  [[nodiscard]] bool holds() const { return holds_; }

 private:
  os::Cpus before_;
  bool holds_;
};

/// Forbids a thread of this process one CPU, where it may use others.
inline void keep_off(os::ThreadId thread, int cpu) {
  os::Cpus others = os::allowed_cpus(thread);
  others.erase(cpu);
  if (!others.empty()) os::allow_cpus(thread, others);
}

}  // namespace sonde::cpu
