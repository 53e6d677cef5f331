#include <fstream>

#include "os/control_groups.hpp"

// Source: man 7 cgroups, /proc/[pid]/cgroup.
namespace sonde::os {

std::vector<ControlGroup> control_groups() {
  std::vector<ControlGroup> groups;
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    groups.push_back({line.substr(first + 1, second - first - 1), line.substr(second + 1)});
  }
  return groups;
}

}  // namespace sonde::os
