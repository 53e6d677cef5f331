#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/time.hpp"

// Parsers of Linux' /proc and /sys. They compile everywhere and take texts or a root folder, so that tests need no
// Linux.
namespace sonde::os {

/// The whole text of a file; empty where it cannot be read.
std::string text_of(const std::filesystem::path& file);

/// The values of all lines "KEY : value", in their order, without blanks and quotes around them.
std::vector<std::string> values_in(std::string_view text, std::string_view key, char separator = ':');

/// The number that a text begins with; nothing where it has none, as before the word "max".
std::optional<std::uint64_t> number_in(const std::string& text);

/// The number of the first line "KEY : value"; nothing without such a line.
std::optional<std::uint64_t> number_of(std::string_view text, std::string_view key, char separator = ':');

/// The CPUs that a cpu.max allows: microseconds of each period, "max 100000" or "150000 100000". Nothing without a
/// limit.
std::optional<double> quota_in(std::string_view cpu_max);

/// The first line of /proc/stat; `ticks_per_second` is sysconf(_SC_CLK_TCK). Source: proc(5).
MachineTime machine_time_in(std::string_view proc_stat, double ticks_per_second);

/// Bytes of huge pages in those mappings of /proc/self/smaps that touch an address range.
std::uint64_t huge_bytes_in(std::string_view smaps, std::uint64_t begin, std::uint64_t end);

/// The maker's name of the processor; where none is stated, as on most Arm processors, a name for each kind of core by
/// its numbers. Empty where nothing is known.
std::string processor_name(const std::filesystem::path& root);

/// Whether this is a virtual machine; empty where nothing tells, which never happens on x86-64.
std::optional<bool> is_virtualised(const std::filesystem::path& root);

}  // namespace sonde::os
