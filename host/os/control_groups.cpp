#include "os/control_groups.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "os/linux_files.hpp"

namespace sonde::os {
namespace {

/// A group, or one above it, where its files are. The first version mounts each controller by itself, the second all of
/// them together.
struct GroupFolder {
  std::filesystem::path path;
  bool is_of_second_version = false;
};

/// The groups of this process that have a controller, and all groups above them.
std::vector<GroupFolder> folders_of(const std::filesystem::path& root, const std::string& controller) {
  std::vector<GroupFolder> folders;
  const std::filesystem::path mounted = root / "sys/fs/cgroup";
  std::istringstream groups(text_of(root / "proc/self/cgroup"));
  // "4:cpu,cpuacct:/system.slice", and "0::/system.slice" for the second version.
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool has_it = ("," + controllers + ",").find("," + controller + ",") != std::string::npos;
    if (!controllers.empty() && !has_it) continue;
    const std::filesystem::path top = controllers.empty() ? mounted : mounted / controller;
    for (std::string group = line.substr(second + 1);;) {
      folders.push_back(
          {.path = top / std::filesystem::path(group).relative_path(), .is_of_second_version = controllers.empty()});
      if (group.empty()) break;
      group.resize(group.rfind('/') == group.npos ? 0 : group.rfind('/'));
    }
  }
  return folders;
}

std::optional<std::uint64_t> memory_left_in(const GroupFolder& group) {
  const bool second = group.is_of_second_version;
  const auto limit = number_in(text_of(group.path / (second ? "memory.max" : "memory.limit_in_bytes")));
  const auto usage = number_in(text_of(group.path / (second ? "memory.current" : "memory.usage_in_bytes")));
  if (!limit || !usage) return std::nullopt;
  const std::string statistics = text_of(group.path / "memory.stat");
  std::uint64_t cached = 0;
  for (const std::string key : {"inactive_file", "active_file"})
    cached += number_of(statistics, second ? key : "total_" + key, ' ').value_or(0);
  const std::uint64_t taken = *usage - std::min(*usage, cached);
  return *limit - std::min(*limit, taken);
}

template <typename Number>
void keep_least(std::optional<Number>& least, std::optional<Number> other) {
  if (other) least = least ? std::min(*least, *other) : *other;
}

}  // namespace

std::optional<std::uint64_t> memory_left_in_groups(const std::filesystem::path& root) {
  std::optional<std::uint64_t> least;
  for (const GroupFolder& group : folders_of(root, "memory")) keep_least(least, memory_left_in(group));
  return least;
}

std::optional<double> cpu_quota_of_groups(const std::filesystem::path& root) {
  std::optional<double> least;
  for (const auto& [path, is_of_second_version] : folders_of(root, "cpu")) {
    keep_least(least, quota_in(is_of_second_version
                                   ? text_of(path / "cpu.max")
                                   : text_of(path / "cpu.cfs_quota_us") + " " + text_of(path / "cpu.cfs_period_us")));
  }
  return least;
}

}  // namespace sonde::os
