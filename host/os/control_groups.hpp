#pragma once

#include <string>
#include <vector>

// Of Linux alone: for the sources beside it.
namespace sonde::os {

/// A control group that this process is in, as /proc/self/cgroup names it.
struct ControlGroup {
  std::string controllers;  ///< with a comma between them; empty in the second version, which has all in one
  std::string path;         ///< below where it is mounted
};
std::vector<ControlGroup> control_groups();

}  // namespace sonde::os
