#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "os/cpu_time.hpp"

// What Linux's files say, as numbers. Read from texts, so that tests need no Linux.
namespace sonde::os {

/// The text of a cpu.max: microseconds of each period, "max 100000" or "150000 100000". Nothing where none limits it.
std::optional<double> quota_in(std::string_view cpu_max);

/// The first line of /proc/stat; `ticks_per_second` as sysconf(_SC_CLK_TCK) says. Source: proc(5).
MachineTime machine_time_in(std::string_view proc_stat, double ticks_per_second);

/// Bytes of huge pages in the mappings of /proc/self/smaps that touch an address range.
std::uint64_t huge_bytes_in(std::string_view smaps, std::uint64_t begin, std::uint64_t end);

}  // namespace sonde::os
