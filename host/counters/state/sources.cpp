#include "counters/state/sources.hpp"

#include "counters/state/sysfs.hpp"
#include "os/machine.hpp"

// Sources: kernel, drivers/gpu/drm/i915/gt/intel_gt_sysfs_pm.c (rps_act_freq_mhz, throttle_reason_*) and
// drivers/gpu/drm/i915/i915_sysfs.c (gt_act_freq_mhz, of older kernels); Documentation/gpu/xe/xe_gt_freq.rst;
// Documentation/hwmon/sysfs-interface.rst (millidegrees, microwatts, microjoules).
// amdgpu has temp1 (edge; absent on Instinct cards, whose temp2 is the junction) and power1_average or power1_input
// (Documentation/gpu/amdgpu/thermal.rst); xe and i915 have energy1 (card) or energy2 (package) and temp2 (package)
// (Documentation/ABI/testing/sysfs-driver-intel-xe-hwmon and -i915-hwmon).
namespace sonde::counters {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// A GPU's two folders: that of the PCI device and that of the graphics card, which i915 uses. They are found by PCI
/// address; in a tree that has only cards, by the device that a card links to.
std::pair<fs::path, std::optional<fs::path>> find_gpu(const fs::path& root, const std::string& pci) {
  const fs::path device = root / "sys/bus/pci/devices" / pci;
  std::error_code ignored;
  if (fs::exists(device, ignored)) {
    const auto cards = numbered(device / "drm", "card");
    if (!cards.empty()) return {device, cards.front()};
  }
  for (const fs::path& card : numbered(root / "sys/class/drm", "card")) {
    if (fs::read_symlink(card / "device", ignored).filename() == pci) return {card / "device", card};
  }
  return {device, std::nullopt};
}

std::optional<double> first_number(const fs::path& folder, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const auto number = read_number(folder / name)) return number;
  }
  return std::nullopt;
}

/// Temperature, of the die or else of the next sensor, and power: the average, the present one, or what the energy
/// counter rose by since the last reading. Empty where there is no such folder.
Source hwmon_source(const fs::path& device) {
  const auto folders = numbered(device / "hwmon", "hwmon");
  if (folders.empty()) return {};
  return [folder = folders.front(), before = std::optional<double>(),
          at = Clock::time_point()](DeviceState& reading) mutable {
    if (const auto millidegrees = first_number(folder, {"temp1_input", "temp2_input"}))
      reading.temperature_celsius = *millidegrees * 1e-3;
    if (const auto microwatts = first_number(folder, {"power1_average", "power1_input"})) {
      reading.power_watts = *microwatts * 1e-6;
    } else if (const auto microjoules = first_number(folder, {"energy1_input", "energy2_input"})) {
      const Clock::time_point now = Clock::now();
      // A counter that wraps or restarts gives no power until the next reading.
      if (before && *microjoules >= *before && now > at)
        reading.power_watts = (*microjoules - *before) * 1e-6 / std::chrono::duration<double>(now - at).count();
      before = microjoules;
      at = now;
    }
  };
}

/// DeviceState's word for a throttle reason of i915 or xe: "pl1" is power, "vr_thermalert" temperature.
const char* reason_of(std::string_view name) {
  const auto has = [name](std::string_view part) { return name.find(part) != name.npos; };
  if (has("therm") || has("prochot") || has("ratl")) return "temperature";
  if (has("tdc") || has("iccmax")) return "current";
  if (has("pl1") || has("pl2") || has("pl4") || has("psys") || has("pwrbrk")) return "power";
  return "other";
}

/// Reasons, and the files that hold 1 while they apply.
using ReasonFiles = std::vector<std::pair<const char*, fs::path>>;

/// The files of a folder are listed, as each kernel knows other reasons. The overall status is no reason.
ReasonFiles reason_files(const fs::path& folder, std::string_view prefix) {
  ReasonFiles files;
  std::error_code ignored;
  for (auto entry = fs::directory_iterator(folder, ignored); entry != fs::directory_iterator();
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix)) continue;
    const std::string_view which = std::string_view(name).substr(prefix.size());
    if (which != "status") files.push_back({reason_of(which), entry->path()});
  }
  return files;
}

Source source_of(std::vector<fs::path> clocks, ReasonFiles reasons) {
  return [clocks = std::move(clocks), reasons = std::move(reasons)](DeviceState& reading) {
    for (const fs::path& clock : clocks) {
      const auto megahertz = read_number(clock);
      if (!megahertz) continue;
      // The clock is 0 while the engine sleeps between two dispatches; nothing is measured at that.
      if (*megahertz > 0) reading.gpu_clock_mhz = megahertz;
      break;
    }
    for (const auto& [reason, file] : reasons) {
      const auto applies = read_number(file);
      if (!applies) continue;
      if (!reading.throttle_reasons) reading.throttle_reasons.emplace();
      if (*applies != 0) reading.throttle_reasons->insert(reason);
    }
  };
}

/// Clock and throttle reasons of the first tile's render engine, which i915 shows in the folder of its card; empty
/// where i915 does not drive it.
Source i915_source(const fs::path& card) {
  const fs::path engine = card / "gt" / "gt0";
  std::vector<fs::path> clocks{engine / "rps_act_freq_mhz", card / "gt_act_freq_mhz"};
  std::error_code ignored;
  if (!fs::exists(clocks[0], ignored) && !fs::exists(clocks[1], ignored)) return {};
  return source_of(std::move(clocks), reason_files(engine, "throttle_reason_"));
}

/// The same of xe, which shows them in the folder of the PCI device.
Source xe_source(const fs::path& device) {
  const fs::path frequency = device / "tile0" / "gt0" / "freq0";
  std::error_code ignored;
  if (!fs::exists(frequency / "act_freq", ignored)) return {};
  return source_of({frequency / "act_freq"}, reason_files(frequency / "throttle", "reason_"));
}

}  // namespace

std::function<DeviceState()> reader_of(const fs::path& root, const std::string& pci) {
  const bool has_files = os::has_proc_and_sys || root != "/";
  std::vector<Source> sources;
  const auto add = [&sources](Source source) {
    if (source) sources.push_back(std::move(source));
  };
  if (!pci.empty() && has_files) {
    const auto [device, card] = find_gpu(root, pci);
    add(amdgpu_source(device));
    if (card) add(i915_source(*card));
    add(xe_source(device));
    add(hwmon_source(device));
  }
  if (!pci.empty() && sources.empty() && root == "/") add(nvml_source(pci));
  if (has_files) add(cpu_clock_source(root));
  return [sources = std::move(sources)] {
    DeviceState reading;
    for (const Source& source : sources) source(reading);
    return reading;
  };
}

}  // namespace sonde::counters
