#include "counters/state/sources.hpp"

#include <chrono>

#include "counters/state/sysfs.hpp"

// Units and names: kernel, Documentation/hwmon/sysfs-interface.rst (millidegrees, microwatts, microjoules).
// amdgpu has temp1 (edge; absent on Instinct cards, whose temp2 is the junction) and power1_average or power1_input
// (Documentation/gpu/amdgpu/thermal.rst); xe and i915 have energy1 (card) or energy2 (package) and temp2 (package)
// (Documentation/ABI/testing/sysfs-driver-intel-xe-hwmon and -i915-hwmon).
namespace sonde::counters {
namespace {

using Clock = std::chrono::steady_clock;

std::optional<double> first_number(const std::filesystem::path& folder, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const auto number = read_number(folder / name)) return number;
  }
  return std::nullopt;
}

/// Power from a counter of energy. A counter that wraps or restarts gives none until the next reading.
class EnergyCounter {
 public:
  std::optional<double> watts(double microjoules) {
    const Clock::time_point now = Clock::now();
    std::optional<double> power;
    if (before_ && microjoules >= *before_ && now > at_) {
      power = (microjoules - *before_) * 1e-6 / std::chrono::duration<double>(now - at_).count();
    }
    before_ = microjoules;
    at_ = now;
    return power;
  }

 private:
  std::optional<double> before_;
  Clock::time_point at_;
};

}  // namespace

std::optional<std::filesystem::path> hwmon_folder(const std::filesystem::path& device) {
  const auto folders = numbered(device / "hwmon", "hwmon");
  return folders.empty() ? std::nullopt : std::optional(folders.front());
}

Source hwmon_source(const std::filesystem::path& device) {
  const auto folder = hwmon_folder(device);
  if (!folder) return {};
  return [folder = *folder, counter = EnergyCounter()](DeviceState& reading) mutable {
    if (const auto millidegrees = first_number(folder, {"temp1_input", "temp2_input"})) {
      reading.temperature_celsius = *millidegrees * 1e-3;
    }
    if (const auto microwatts = first_number(folder, {"power1_average", "power1_input"})) {
      reading.power_watts = *microwatts * 1e-6;
    } else if (const auto microjoules = first_number(folder, {"energy1_input", "energy2_input"})) {
      reading.power_watts = counter.watts(*microjoules);
    }
  };
}

}  // namespace sonde::counters
