#pragma once

#include <cstdint>

namespace sonde::counters {

/// CPU time used since some fixed moment, in seconds summed over all CPUs.
struct HostTime {
  double wall = 0;                         ///< seconds that passed, times the number of CPUs
  double busy = 0;                         ///< used by any process or interrupt of this machine
  double own = 0;                          ///< used by this process and all its threads
  double steal = 0;                        ///< taken by the hypervisor for others
  double tick = 0;                         ///< the step in which `busy` counts
  std::uint64_t involuntary_switches = 0;  ///< times that the scheduler took a CPU from a thread of this process
};

/// CPU time that others took between two moments, as shares (0 to 1) of all that passed.
struct ForeignLoad {
  double foreign_cpu = 0;
  double steal = 0;
  std::uint64_t involuntary_switches = 0;
};

/// The present times, in the system's ticks of mostly 10 ms; zeros where it does not count.
HostTime read_host_time();

/// A lower bound: one tick is taken off, as a whole tick is charged to whoever runs at its end and may be rounding
/// alone.
ForeignLoad load_between(const HostTime& before, const HostTime& after);

}  // namespace sonde::counters
