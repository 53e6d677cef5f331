#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <ranges>
#include <sstream>

#include "counters/state/sources.hpp"
#include "counters/state/sysfs.hpp"

// The layouts: kernel, drivers/gpu/drm/amd/include/kgd_pp_interface.h, struct gpu_metrics_v1_3, v2_2 to v2_4 and v3_0;
// the bits: drivers/gpu/drm/amd/pm/swsmu/inc/amdgpu_smu.h, SMU_THROTTLER_*; the files of clocks: kernel,
// Documentation/gpu/amdgpu/thermal.rst.
namespace sonde::counters {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t status_in_v1_3 = 112;       // discrete cards: indep_throttle_status
constexpr std::size_t status_in_v2_2 = 120;       // APUs, the same in v2_3 and v2_4
constexpr std::size_t residencies_in_v3_0 = 228;  // APUs since Strix: seven counters, throttle_residency_*

/// The reasons of the table's counters: prochot, spl, fppt, sppt, thm_core, thm_gfx, thm_soc.
constexpr std::array<const char*, 7> residency_reasons{"temperature", "power",       "power",      "power",
                                                       "temperature", "temperature", "temperature"};

/// The tables are little-endian, as is every machine on which amdgpu's power management runs.
template <typename Number>
std::optional<Number> number_at(std::string_view table, std::size_t offset) {
  Number number{};
  if (table.size() < offset + sizeof number) return std::nullopt;
  std::memcpy(&number, table.data() + offset, sizeof number);
  // The driver fills a table with ones before it writes what the chip knows.
  if (number == static_cast<Number>(~Number{0})) return std::nullopt;
  return number;
}

std::optional<std::set<std::string>> reasons_of_bits(std::optional<std::uint64_t> bits) {
  if (!bits) return std::nullopt;
  std::set<std::string> reasons;
  for (unsigned bit = 0; bit < 64; ++bit) {
    if ((*bits >> bit & 1) == 0) continue;
    reasons.insert(bit < 16 ? "power" : bit < 32 ? "current" : bit < 48 ? "temperature" : "other");
  }
  return reasons;
}

std::optional<std::set<std::string>> reasons_of_counters(std::string_view before, std::string_view table) {
  std::optional<std::set<std::string>> reasons;
  for (std::size_t index = 0; index < residency_reasons.size(); ++index) {
    const std::size_t offset = residencies_in_v3_0 + index * sizeof(std::uint32_t);
    const auto then = number_at<std::uint32_t>(before, offset);
    const auto now = number_at<std::uint32_t>(table, offset);
    if (!then || !now) continue;
    if (!reasons) reasons.emplace();
    if (*now != *then) reasons->insert(residency_reasons[index]);
  }
  return reasons;
}

/// Why a GPU is throttled, from the bytes of `gpu_metrics`; nothing for a table that does not tell, or not in a way
/// that all chips share. Later tables count how long each throttler was engaged, so that it takes the one `before`.
std::optional<std::set<std::string>> throttle_reasons(std::string_view table, std::string& before) {
  // A table begins with its size in two bytes, then the format and its revision.
  const auto size = number_at<std::uint16_t>(table, 0);
  if (!size || *size < 4 || *size > table.size()) return std::nullopt;
  table = table.substr(0, *size);
  const int format = static_cast<unsigned char>(table[2]);
  const int revision = static_cast<unsigned char>(table[3]);
  if (format == 1 && revision == 3) return reasons_of_bits(number_at<std::uint64_t>(table, status_in_v1_3));
  if (format == 2 && revision >= 2 && revision <= 4) {
    return reasons_of_bits(number_at<std::uint64_t>(table, status_in_v2_2));
  }
  if (format != 3 || revision != 0) return std::nullopt;
  const auto reasons = reasons_of_counters(before, table);
  before = table;
  return reasons;
}

/// The clock in MHz that is marked as the present one in a pp_dpm_* file ("1: 2371Mhz *").
std::optional<double> marked_clock_mhz(std::string_view text) {
  for (const auto part : std::views::split(text, '\n')) {
    const std::string_view line(part.begin(), part.end());
    const std::size_t colon = line.find(':');
    const std::size_t unit = line.find("Mhz");
    if (colon == line.npos || unit == line.npos || unit < colon || line.find('*') == line.npos) continue;
    const auto clock = number_in(line.substr(colon + 1, unit - colon - 1));
    if (clock && *clock > 0) return clock;
  }
  return std::nullopt;
}

/// hwmon states the clock itself in Hz; the file of levels, which every generation has, only the level nearest to it.
std::optional<double> clock_mhz(const std::vector<fs::path>& sensors, const char* sensor, const fs::path& levels) {
  const auto hertz = sensors.empty() ? std::nullopt : read_number(sensors.front() / sensor);
  if (hertz && *hertz > 0) return *hertz * 1e-6;
  const auto text = read_text(levels);
  return text ? marked_clock_mhz(*text) : std::nullopt;
}

/// A file of lines with a name and a number each.
std::map<std::string, std::uint64_t> properties(const fs::path& file) {
  std::map<std::string, std::uint64_t> all;
  std::istringstream lines(read_text(file).value_or(""));
  std::string name;
  std::uint64_t value = 0;
  while (lines >> name >> value) all[name] = value;
  return all;
}

/// The domain of a PCI address, and its rest as the kernel packs it: bus, then five bits of device and three of
/// function.
std::optional<std::pair<std::uint64_t, std::uint64_t>> location_of(const std::string& pci) {
  std::uint64_t parts[4] = {};
  const char* at = pci.data();
  const char* const end = at + pci.size();
  for (std::uint64_t& part : parts) {
    const auto [rest, error] = std::from_chars(at, end, part, 16);
    if (error != std::errc()) return std::nullopt;
    at = rest == end ? rest : rest + 1;
  }
  return std::pair(parts[0], parts[1] << 8 | parts[2] << 3 | parts[3]);
}

}  // namespace

Source amdgpu_source(const fs::path& device) {
  std::error_code ignored;
  if (!fs::exists(device / "pp_dpm_sclk", ignored) && !fs::exists(device / "gpu_metrics", ignored)) return {};
  return [device, sensors = numbered(device / "hwmon", "hwmon"), before = std::string()](DeviceState& reading) mutable {
    reading.gpu_clock_mhz = clock_mhz(sensors, "freq1_input", device / "pp_dpm_sclk");
    reading.memory_clock_mhz = clock_mhz(sensors, "freq2_input", device / "pp_dpm_mclk");
    if (const auto table = read_text(device / "gpu_metrics"))
      reading.throttle_reasons = throttle_reasons(*table, before);
  };
}

std::map<int, std::uint64_t> amdgpu_caches(const fs::path& root, const std::string& pci) {
  constexpr std::uint64_t kib = 1024;
  const auto location = location_of(pci);
  if (!location) return {};
  std::map<int, std::uint64_t> by_level;
  const fs::path nodes = root / "sys/class/kfd/kfd/topology/nodes";
  for (const fs::path& node : numbered(nodes, "")) {
    auto facts = properties(node / "properties");
    if (facts["simd_count"] == 0 || std::pair(facts["domain"], facts["location_id"]) != *location) continue;
    for (const fs::path& cache : numbered(node / "caches", "")) {
      auto stated = properties(cache / "properties");
      std::uint64_t& bytes = by_level[static_cast<int>(stated["level"])];
      bytes = std::max(bytes, stated["size"] * kib);
    }
  }
  std::erase_if(by_level, [](const auto& entry) { return entry.second == 0; });
  return by_level;
}

}  // namespace sonde::counters
