#include "workloads/arithmetic/busy_cores.hpp"

#include <algorithm>

#include "os/threads.hpp"
#include "os/time.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::workloads {
namespace {

/// A smaller loss is no sign of others: threads begin one after the other, and one whose core is slower ends last.
constexpr double most_lost = 0.1;

std::uint32_t cores_of(const device::DeviceInfo& device, std::uint32_t groups) {
  if (device.type != device::DeviceType::cpu) return 0;
  const auto allowed = static_cast<std::uint32_t>(os::allowed_cpus().size());
  const std::uint32_t cores = std::min(compute_units_of(device), groups);
  return allowed == 0 ? cores : std::min(cores, allowed);
}

}  // namespace

bool some_were_away(std::uint32_t cores, double cpu_seconds, double passed_seconds) {
  return cpu_seconds < (1 - most_lost) * cores * passed_seconds;
}

BusyCores::BusyCores(const device::DeviceInfo& device, std::uint32_t groups) : cores_(cores_of(device, groups)) {}

device::Nanoseconds BusyCores::during(const std::function<device::Nanoseconds()>& dispatch) {
  if (cores_ == 0) return dispatch();
  const double before = os::cpu_seconds_of_all_threads();
  const device::Nanoseconds time = dispatch();
  some_were_away_ = workloads::some_were_away(cores_, os::cpu_seconds_of_all_threads() - before, time.count() * 1e-9);
  return time;
}

}  // namespace sonde::workloads
