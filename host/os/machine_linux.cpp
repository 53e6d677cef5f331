#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "os/control_groups.hpp"
#include "os/linux_files.hpp"
#include "os/machine.hpp"

namespace sonde::os {
namespace {

std::uint64_t setting(int name) { return static_cast<std::uint64_t>(std::max(0L, sysconf(name))); }

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t memory_available() {
  const auto kibibytes = number_of(text_of("/proc/meminfo"), "MemAvailable");
  return kibibytes ? *kibibytes * 1024 : unlimited;
}

}  // namespace

Machine describe_machine() {
  utsname names{};
  uname(&names);
  Machine machine;
  machine.name = names.nodename;
  if (const auto names_of_system = values_in(text_of("/etc/os-release"), "PRETTY_NAME", '='); !names_of_system.empty())
    machine.system = names_of_system[0];
  machine.kernel = std::string(names.sysname) + " " + names.release;
  machine.processor = processor_name("/");
  if (machine.processor.empty()) machine.processor = names.machine;
  machine.virtualised = is_virtualised("/");
  return machine;
}

std::uint32_t online_cpus() { return static_cast<std::uint32_t>(setting(_SC_NPROCESSORS_ONLN)); }

std::uint32_t configured_cpus() { return static_cast<std::uint32_t>(setting(_SC_NPROCESSORS_CONF)); }

std::uint64_t memory_bytes() { return setting(_SC_PHYS_PAGES) * setting(_SC_PAGESIZE); }

std::uint64_t first_data_cache_bytes() { return setting(_SC_LEVEL1_DCACHE_SIZE); }

std::uint64_t available_memory_bytes() {
  return std::min(memory_available(), memory_left_in_groups("/").value_or(unlimited));
}

std::optional<double> cpu_quota() { return cpu_quota_of_groups("/"); }

std::uint64_t out_of_memory_kills() { return number_of(text_of("/proc/vmstat"), "oom_kill", ' ').value_or(0); }

}  // namespace sonde::os
