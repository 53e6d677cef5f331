#include "os/linux_texts.hpp"

#include <array>
#include <cstdio>
#include <sstream>
#include <string>

namespace sonde::os {

std::optional<double> quota_in(std::string_view cpu_max) {
  std::istringstream text{std::string(cpu_max)};
  double microseconds = 0;
  double period = 0;
  // "max" is no number, and -1 is the first version's word for it.
  if (!(text >> microseconds >> period) || microseconds <= 0 || period <= 0) return std::nullopt;
  return microseconds / period;
}

MachineTime machine_time_in(std::string_view proc_stat, double ticks_per_second) {
  std::istringstream line{std::string(proc_stat.substr(0, proc_stat.find('\n')))};
  std::string label;
  // user nice system idle iowait irq softirq steal; guest time is part of user already.
  std::array<double, 8> ticks{};
  line >> label;
  for (double& value : ticks) line >> value;
  const auto [user, nice, system, idle, iowait, irq, softirq, steal] = ticks;
  return {.busy = (user + nice + system + irq + softirq) / ticks_per_second,
          .steal = steal / ticks_per_second,
          .tick = 1 / ticks_per_second};
}

std::uint64_t huge_bytes_in(std::string_view smaps, std::uint64_t begin, std::uint64_t end) {
  std::istringstream lines{std::string(smaps)};
  std::uint64_t sum = 0;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    unsigned long long from = 0;
    unsigned long long to = 0;
    unsigned long long kilobytes = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx ", &from, &to) == 2) inside = from < end && to > begin;
    if (inside && std::sscanf(line.c_str(), "AnonHugePages: %llu kB", &kilobytes) == 1) sum += kilobytes << 10;
  }
  return sum;
}

}  // namespace sonde::os
