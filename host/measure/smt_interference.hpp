#pragma once

#include "device/device.hpp"
#include "measure/workload.hpp"
#include "os/threads.hpp"

namespace sonde::measure {

/// Tells whether something else works on the core that is measured: a program on its second hardware thread, often of
/// another virtual machine, which no counter of this system shows. It takes room in the core's own caches and turns of
/// its units, so that hits in the first cache take longer than usual, by the clock and beside dependent arithmetic. A
/// clock that falls, as many do after milliseconds of waiting for memory, slows both alike.
class SmtInterference {
 public:
  /// `walk` covers most of the first cache, by the API that is measured; `arithmetic` is a dependent chain on the same
  /// core. `budget` is the time that the end of interference may be waited for in all, and again the time of the work
  /// that is repeated because of it. Throws device::Error where one of the two does not do its work.
  SmtInterference(SteppedWork walk, SteppedWork arithmetic, device::Nanoseconds budget);

  /// Whether there is interference now. Throws as the constructor.
  bool present();
  /// Waits until there is none, as long as the budget lasts; returns whether there is none. `alive` is called after
  /// each look.
  bool wait_until_gone(const std::function<void()>& alive);
  /// Whether work that took so long beside interference may be done again.
  bool may_repeat(device::Nanoseconds time);

 private:
  /// Work whose time a step is the difference of a short and a long dispatch, free of the launch.
  struct Timed {
    SteppedWork work;
    std::uint64_t few = 0;  ///< a lap
    std::uint64_t many = 0;
    device::Nanoseconds spent{0};

    Timed(SteppedWork timed, device::Nanoseconds shortest);
    device::Nanoseconds run(std::uint64_t steps);
    /// The time of a run that most probably was not interrupted.
    device::Nanoseconds faster_of_two(std::uint64_t steps);
    double ns_per_step(device::Nanoseconds many_took);
  };

  struct Look {
    double hit_ns = 0;
    double step_ns = 0;
  };
  Look look();
  bool crowded(const Look& now) const;

  Timed walk_;
  Timed arithmetic_;
  device::Nanoseconds budget_;
  device::Nanoseconds budget_for_work_ = budget_;
  std::deque<Look> recent_;  ///< looks of `present`, without those of `wait_until_gone`
};

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
  os::Cpus allowed_;  ///< CPUs of the thread that made this
  std::map<os::ThreadId, os::Cpus> before_;
};

}  // namespace sonde::measure
