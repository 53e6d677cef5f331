#pragma once

#include <optional>
#include <string_view>

namespace sonde::os {

/// How many CPUs' worth of time the control groups of this process leave it, the least of them; nothing where none
/// limits it. It may see more CPUs than that, of which it is then put off in turn. Source: Linux cgroup v1 and v2.
std::optional<double> cpu_quota();

/// The text of a cpu.max: microseconds of each period, "max 100000" or "150000 100000".
std::optional<double> quota_in(std::string_view cpu_max);

}  // namespace sonde::os
