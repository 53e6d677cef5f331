#pragma once

#include <map>

#include "os/threads.hpp"

namespace sonde::measure {

/// Keeps every thread of this process, the driver's included, on one CPU while it lives, but for `spared`, which is
/// kept off it where there is another. A CPU device runs a single chain on any of its threads; a walk that changes
/// cores finds its private caches empty. Afterwards each has the CPUs that it had. Does nothing where the system
/// refuses.
class OneCore {
 public:
  explicit OneCore(os::ThreadId spared = 0);
  ~OneCore();
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

 private:
  os::Cpus allowed_;  ///< to the thread that made this
  std::map<os::ThreadId, os::Cpus> before_;
};

}  // namespace sonde::measure
