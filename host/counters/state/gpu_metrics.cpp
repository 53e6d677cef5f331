#include "counters/state/gpu_metrics.hpp"

#include <array>
#include <cstdint>
#include <cstring>

// The layouts: kernel, drivers/gpu/drm/amd/include/kgd_pp_interface.h, struct gpu_metrics_v1_3, v2_2 to v2_4 and v3_0;
// the bits: drivers/gpu/drm/amd/pm/swsmu/inc/amdgpu_smu.h, SMU_THROTTLER_*.
namespace sonde::counters {
namespace {

constexpr std::size_t status_in_v1_3 = 112;       // discrete cards: indep_throttle_status
constexpr std::size_t status_in_v2_2 = 120;       // APUs, the same in v2_3 and v2_4
constexpr std::size_t residencies_in_v3_0 = 228;  // APUs since Strix: seven counters, throttle_residency_*

/// In the order of the table: prochot, spl, fppt, sppt, thm_core, thm_gfx, thm_soc.
constexpr std::array<const char*, 7> residency_reasons{"temperature", "power",       "power",      "power",
                                                       "temperature", "temperature", "temperature"};

/// The tables are little-endian, as every machine is that amdgpu's power management runs on.
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

}  // namespace

std::optional<std::set<std::string>> GpuMetrics::throttle_reasons(std::string_view table) {
  // Size in two bytes, then the format and its revision.
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
  const auto reasons = reasons_of_counters(before_, table);
  before_ = table;
  return reasons;
}

}  // namespace sonde::counters
