#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::counters {

/// Bits of an event's configuration word, both ends included.
struct BitRange {
  unsigned first = 0;
  unsigned last = 0;
  bool operator==(const BitRange&) const = default;
};

/// Where a field's bits go, its lowest first.
using Format = std::vector<BitRange>;

/// "config:0-7,32-37" as a format file has it; nothing for another word than `config`, or for what is no such list.
std::optional<Format> parse_format(std::string_view text);

/// "0-2,48" as the kernel lists CPUs; nothing for what is no such list.
std::optional<std::vector<int>> parse_cpus(std::string_view text);

/// A unit that counts, as the kernel shows it.
struct Pmu {
  std::string name;
  std::uint32_t type = 0;
  std::vector<int> cpus;  ///< one for each part of the machine that it counts by itself
  std::map<std::string, Format, std::less<>> formats;
};

/// The folder of all PMUs of a machine.
std::filesystem::path pmu_folder(const std::filesystem::path& root);

/// The PMU of this name, or nothing where there is none or the kernel gives it no number.
std::optional<Pmu> find_pmu(const std::filesystem::path& root, const std::string& name);

/// The PMU of this name and those that go on with a number ("amd_umc_" finds amd_umc_0), by number.
std::vector<Pmu> find_pmus(const std::filesystem::path& root, const std::string& name);

}  // namespace sonde::counters
