#pragma once

#include <cstdint>

namespace sonde::counters {

/// CPU time used since some fixed moment, in seconds summed over all CPUs.
struct HostTime {
  double wall = 0;                         ///< seconds that passed, times the number of CPUs
  double busy = 0;                         ///< by any process or interrupt of this machine
  double own = 0;                          ///< by this process and all its threads
  double steal = 0;                        ///< taken by the hypervisor for others
  double tick = 0;                         ///< the step in which `busy` counts
  std::uint64_t involuntary_switches = 0;  ///< times a thread of this process was put off its CPU
};

/// What others took between two moments, as shares (0 to 1) of all CPU time that passed.
struct ForeignLoad {
  double foreign_cpu = 0;
  double steal = 0;
  std::uint64_t involuntary_switches = 0;
};

/// Now, as the system counts it (in ticks, 10 ms as a rule); zeros where it does not.
HostTime read_host_time();

/// Never more than others truly took: a tick is charged whole to whoever runs at its end, so that over a short time
/// one tick may be rounding alone.
ForeignLoad load_between(const HostTime& before, const HostTime& after);

}  // namespace sonde::counters
