#pragma once

#include <sched.h>

namespace sonde::measure {

/// Keeps every thread of this process, the driver's included, on one CPU while it lives. A CPU device runs a
/// single chain on any of its threads; a walk that changes cores finds its private caches empty. Does nothing
/// where the system refuses.
class OneCore {
 public:
  OneCore();
  ~OneCore();
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

 private:
  cpu_set_t before_{};
  bool confined_ = false;
};

}  // namespace sonde::measure
