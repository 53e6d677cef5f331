#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "os/machine.hpp"
#include "os/processor.hpp"

namespace sonde::os {
namespace {

/// The rest of the first line that starts with `key`, without separators and quotes.
std::string value_in(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const auto start = line.find_first_not_of(" \t:=\"", key.size());
    if (start == std::string::npos) return "";
    return line.substr(start, line.find_last_not_of(" \t\"") + 1 - start);
  }
  return "";
}

std::uint64_t setting(int name) { return static_cast<std::uint64_t>(std::max(0L, sysconf(name))); }

}  // namespace

Machine describe_machine() {
  utsname names{};
  uname(&names);
  Machine machine;
  machine.name = names.nodename;
  machine.system = value_in("/etc/os-release", "PRETTY_NAME");
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

}  // namespace sonde::os
