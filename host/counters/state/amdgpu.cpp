#include "counters/state/amdgpu.hpp"

#include <algorithm>

#include "counters/state/gpu_metrics.hpp"
#include "counters/state/hwmon.hpp"
#include "counters/state/sysfs.hpp"

// Source: kernel, Documentation/gpu/amdgpu/thermal.rst.
namespace sonde::counters {
namespace {

namespace fs = std::filesystem;

/// hwmon has the clock itself, in Hz; the file of levels, which every generation has, the level nearest to it.
std::optional<double> clock_mhz(const std::optional<fs::path>& sensors, const char* sensor, const fs::path& levels) {
  const auto hertz = sensors ? read_number(*sensors / sensor) : std::nullopt;
  if (hertz && *hertz > 0) return *hertz * 1e-6;
  const auto text = read_text(levels);
  return text ? marked_clock_mhz(*text) : std::nullopt;
}

}  // namespace

std::optional<double> marked_clock_mhz(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t colon = line.find(':');
    const std::size_t unit = line.find("Mhz");
    if (colon == line.npos || unit == line.npos || unit < colon || line.find('*') == line.npos) continue;
    const auto clock = number_in(line.substr(colon + 1, unit - colon - 1));
    if (clock && *clock > 0) return clock;
  }
  return std::nullopt;
}

Source amdgpu_source(const fs::path& device) {
  std::error_code ignored;
  if (!fs::exists(device / "pp_dpm_sclk", ignored) && !fs::exists(device / "gpu_metrics", ignored)) return {};
  return [device, sensors = hwmon_folder(device), metrics = GpuMetrics()](DeviceState& reading) mutable {
    reading.gpu_clock_mhz = clock_mhz(sensors, "freq1_input", device / "pp_dpm_sclk");
    reading.memory_clock_mhz = clock_mhz(sensors, "freq2_input", device / "pp_dpm_mclk");
    if (const auto table = read_text(device / "gpu_metrics")) {
      reading.throttle_reasons = metrics.throttle_reasons(*table);
    }
  };
}

}  // namespace sonde::counters
