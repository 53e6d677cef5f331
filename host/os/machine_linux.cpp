#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

#include "os/linux_files.hpp"
#include "os/machine.hpp"

// Sources: man 7 cgroups; kernel, Documentation/admin-guide/cgroup-v2.rst (cpu.max) and scheduler/sched-bwc.rst
// (cpu.cfs_quota_us).
namespace sonde::os {
namespace {

std::uint64_t setting(int name) { return static_cast<std::uint64_t>(std::max(0L, sysconf(name))); }

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;  // absent, or the word "max"
}

std::uint64_t memory_available() {
  const auto kibibytes = values_in(text_of("/proc/meminfo"), "MemAvailable");
  std::uint64_t value = 0;
  return !kibibytes.empty() && std::istringstream(kibibytes[0]) >> value ? value * 1024 : unlimited;
}

/// The control groups that this process is in: controllers, with a comma between them, and the path below where they
/// are mounted. The second version of control groups names no controllers.
std::vector<std::pair<std::string, std::string>> control_groups() {
  std::vector<std::pair<std::string, std::string>> groups;
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second != std::string::npos)
      groups.emplace_back(line.substr(first + 1, second - first - 1), line.substr(second + 1));
  }
  return groups;
}

std::uint64_t left_in(const std::string& limit_path, const std::string& usage_path) {
  const auto limit = number_in(limit_path);
  const auto usage = number_in(usage_path);
  if (!limit || !usage) return unlimited;
  return *limit > *usage ? *limit - *usage : 0;
}

std::uint64_t left_in_control_group() {
  std::uint64_t left = unlimited;
  for (const auto& [controllers, group] : control_groups()) {
    if (controllers.empty()) {
      const std::string folder = "/sys/fs/cgroup" + group;
      left = std::min(left, left_in(folder + "/memory.max", folder + "/memory.current"));
    } else if (controllers == "memory") {
      const std::string folder = "/sys/fs/cgroup/memory" + group;
      left = std::min(left, left_in(folder + "/memory.limit_in_bytes", folder + "/memory.usage_in_bytes"));
    }
  }
  return left;
}

void keep_least(std::optional<double>& least, std::optional<double> other) {
  if (other) least = least ? std::min(*least, *other) : *other;
}

/// The least limit of a group and of all groups around it.
std::optional<double> least_quota_of(const std::string& root, std::string group, bool second_version) {
  std::optional<double> least;
  for (;;) {
    const std::string folder = root + group;
    keep_least(least, quota_in(second_version ? text_of(folder + "/cpu.max")
                                              : text_of(folder + "/cpu.cfs_quota_us") + " " +
                                                    text_of(folder + "/cpu.cfs_period_us")));
    if (group.empty()) return least;
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
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

std::uint64_t available_memory_bytes() { return std::min(memory_available(), left_in_control_group()); }

std::optional<double> cpu_quota() {
  std::optional<double> least;
  for (const auto& [controllers, group] : control_groups()) {
    if (controllers.empty()) keep_least(least, least_quota_of("/sys/fs/cgroup", group, true));
    if (("," + controllers + ",").find(",cpu,") != std::string::npos)
      keep_least(least, least_quota_of("/sys/fs/cgroup/cpu", group, false));
  }
  return least;
}

}  // namespace sonde::os
