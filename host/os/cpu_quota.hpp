#pragma once

#include <optional>

namespace sonde::os {

/// How many CPUs' worth of time the control groups of this process leave it, the least of them; nothing where none
/// limits it. It may see more CPUs than that, of which it is then put off in turn. Source: Linux cgroup v1 and v2;
/// Windows' jobs.
std::optional<double> cpu_quota();

}  // namespace sonde::os
