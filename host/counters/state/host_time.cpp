#include "counters/state/host_time.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>

#include "os/cpu_time.hpp"
#include "os/machine.hpp"

namespace sonde::counters {
HostTime parse_proc_stat(std::string_view text, double ticks_per_second) {
  std::istringstream line{std::string(text.substr(0, text.find('\n')))};
  std::string label;
  // user nice system idle iowait irq softirq steal; guest time is part of user already. Source: proc(5).
  std::array<double, 8> ticks{};
  line >> label;
  for (double& value : ticks) line >> value;
  const auto [user, nice, system, idle, iowait, irq, softirq, steal] = ticks;
  return {.busy = (user + nice + system + irq + softirq) / ticks_per_second,
          .steal = steal / ticks_per_second,
          .tick = 1 / ticks_per_second};
}

HostTime read_host_time() {
  std::ifstream file("/proc/stat");
  std::string line;
  std::getline(file, line);
  HostTime time = parse_proc_stat(line, os::cpu_ticks_per_second());
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
