#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include "counters/state/device_state.hpp"

namespace sonde::counters {

/// The CPU that a thread of this process ran on last, from its line in /proc/self/task/<id>/stat.
std::optional<int> last_cpu_in(std::string_view stat);

/// "cpu MHz" of a CPU in the text of /proc/cpuinfo; of the fastest where that CPU is not in it.
std::optional<double> cpuinfo_clock_mhz(std::string_view text, int cpu);

/// The clock of the CPU that the calling thread works on, whoever reads it: cpufreq says it, or /proc/cpuinfo, or
/// where that has none, as on Arm64, the device tree, all below `root`. That of an idle CPU would be what it was asked
/// for last, not what it ran at.
Source cpu_clock_source(const std::filesystem::path& root);

/// The same for the CPU that `which_cpu` names; the fastest in a tree that does not have it.
Source cpu_clock_source(const std::filesystem::path& root, const std::function<std::optional<int>()>& which_cpu);

}  // namespace sonde::counters
