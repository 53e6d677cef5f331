#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
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

/// The places of a field's bits, its lowest first.
using Format = std::vector<BitRange>;

/// Parses "config:0-7,32-37", the content of a format file; nothing for another word than `config` or another syntax.
std::optional<Format> parse_format(std::string_view text);

/// Parses "0-2,48", the kernel's way to list CPUs; nothing for another syntax.
std::optional<std::vector<int>> parse_cpus(std::string_view text);

/// A performance monitoring unit, as the kernel shows it.
struct Pmu {
  std::string name;
  std::uint32_t type = 0;
  std::vector<int> cpus;  ///< one for each part of the machine that the PMU counts separately
  std::map<std::string, Format, std::less<>> formats;
};

/// The folder of all PMUs of a machine.
std::filesystem::path pmu_folder(const std::filesystem::path& root);

/// The PMU of this name; nothing where there is none or the kernel gives it no number.
std::optional<Pmu> find_pmu(const std::filesystem::path& root, const std::string& name);

/// The PMU of this name and those of this name and a number ("amd_umc_" finds amd_umc_0), by number.
std::vector<Pmu> find_pmus(const std::filesystem::path& root, const std::string& name);

/// A field of an event's configuration word, and its value.
struct Field {
  std::string_view name;
  std::uint64_t value = 0;
};

/// The configuration word of an event, with each field's bits in their places. Nothing where the PMU has no such field
/// or a value needs more bits than its field has; `problem` then says so.
std::optional<std::uint64_t> encode(const Pmu& pmu, std::span<const Field> fields, std::string& problem);

/// The width of a PMU's field in bits; 0 where it has no field of that name.
unsigned bits_of(const Pmu& pmu, std::string_view field);

}  // namespace sonde::counters
