#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "os/control_groups.hpp"
#include "os/cpu_quota.hpp"
#include "os/linux_texts.hpp"

// Source: kernel, Documentation/admin-guide/cgroup-v2.rst (cpu.max) and scheduler/sched-bwc.rst (cpu.cfs_quota_us).
namespace sonde::os {
namespace {

std::string text_in(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void keep_least(std::optional<double>& least, std::optional<double> other) {
  if (other) least = least ? std::min(*least, *other) : *other;
}

/// A group and all that it is in, as each may have a limit.
std::optional<double> least_above(const std::string& root, std::string group, bool second_version) {
  std::optional<double> least;
  for (;;) {
    const std::string folder = root + group;
    keep_least(least, quota_in(second_version ? text_in(folder + "/cpu.max")
                                              : text_in(folder + "/cpu.cfs_quota_us") + " " +
                                                    text_in(folder + "/cpu.cfs_period_us")));
    if (group.empty()) return least;
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

}  // namespace

std::optional<double> cpu_quota() {
  std::optional<double> least;
  for (const auto& [controllers, group] : control_groups()) {
    if (controllers.empty()) keep_least(least, least_above("/sys/fs/cgroup", group, true));
    if (("," + controllers + ",").find(",cpu,") != std::string::npos)
      keep_least(least, least_above("/sys/fs/cgroup/cpu", group, false));
  }
  return least;
}

}  // namespace sonde::os
