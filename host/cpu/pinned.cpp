#include "cpu/pinned.hpp"

namespace sonde::cpu {

Pinned::Pinned(int cpu) : before_(os::allowed_cpus()), holds_(!before_.empty() && os::allow_cpus(0, {cpu})) {}

Pinned::~Pinned() {
  if (holds_) os::allow_cpus(0, before_);
}

void keep_off(os::ThreadId thread, int cpu) {
  os::Cpus others = os::allowed_cpus(thread);
  others.erase(cpu);
  if (!others.empty()) os::allow_cpus(thread, others);
}

}  // namespace sonde::cpu
