#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "os/control_groups.hpp"
#include "os/memory.hpp"

namespace sonde::os {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;  // absent, or the word "max"
}

std::uint64_t memory_available() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::uint64_t kibibytes = 0;
  std::string rest;
  while (file >> key >> kibibytes && std::getline(file, rest)) {
    if (key == "MemAvailable:") return kibibytes * 1024;
  }
  return unlimited;
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

}  // namespace

std::uint64_t available_memory_bytes() { return std::min(memory_available(), left_in_control_group()); }

}  // namespace sonde::os
