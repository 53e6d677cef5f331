#include "counters/state/host_time.hpp"

#include <algorithm>
#include <chrono>

#include "os/machine.hpp"
#include "os/time.hpp"

namespace sonde::counters {

HostTime read_host_time() {
  const os::MachineTime machine = os::cpu_time_of_this_machine();
  HostTime time{.busy = machine.busy, .steal = machine.steal, .tick = machine.tick};
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  time.wall = std::chrono::duration<double>(now).count() * os::online_cpus();
  const os::CpuTime own = os::cpu_time_of_this_process();
  time.own = own.seconds;
  time.involuntary_switches = own.involuntary_switches;
  return time;
}

ForeignLoad load_between(const HostTime& before, const HostTime& after) {
  const double wall = after.wall - before.wall;
  if (wall <= 0) return {};
  const double foreign = (after.busy - before.busy) - (after.own - before.own) - after.tick;
  return {.foreign_cpu = std::clamp(foreign / wall, 0.0, 1.0),
          .steal = std::clamp((after.steal - before.steal) / wall, 0.0, 1.0),
          .involuntary_switches = after.involuntary_switches - before.involuntary_switches};
}

}  // namespace sonde::counters
