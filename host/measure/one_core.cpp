#include "measure/one_core.hpp"

namespace sonde::measure {

OneCore::OneCore(os::ThreadId spared) : allowed_(os::allowed_cpus()) {
  if (allowed_.empty()) return;
  for (const os::ThreadId thread : os::threads_of_this_process()) before_[thread] = os::allowed_cpus(thread);
  // The last allowed CPU: the first ones serve most interrupts.
  const int last = *allowed_.rbegin();
  for (const auto& [thread, cpus] : before_) os::allow_cpus(thread, {last});
  os::Cpus others = allowed_;
  others.erase(last);
  if (spared != 0 && !others.empty()) os::allow_cpus(spared, others);
}

OneCore::~OneCore() {
  if (allowed_.empty()) return;
  // A driver may have given its threads a core each. Those that it began meanwhile have inherited the one core.
  for (const os::ThreadId thread : os::threads_of_this_process()) {
    const auto known = before_.find(thread);
    os::allow_cpus(thread, known != before_.end() ? known->second : allowed_);
  }
}

}  // namespace sonde::measure
