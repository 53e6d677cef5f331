#include "counters/state/sources.hpp"

#include <string>
#include <utility>
#include <vector>

#include "counters/state/sysfs.hpp"

// Sources: kernel, drivers/gpu/drm/i915/gt/intel_gt_sysfs_pm.c (rps_act_freq_mhz, throttle_reason_*) and
// drivers/gpu/drm/i915/i915_sysfs.c (gt_act_freq_mhz, of older kernels); Documentation/gpu/xe/xe_gt_freq.rst.
namespace sonde::counters {
namespace {

namespace fs = std::filesystem;

struct ReasonFile {
  std::string reason;
  fs::path file;  ///< holds 1 while it applies
};

/// The files of a folder are listed, as each kernel knows other reasons. The overall status is no reason.
std::vector<ReasonFile> reason_files(const fs::path& folder, std::string_view prefix) {
  std::vector<ReasonFile> files;
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

Source source_of(std::vector<fs::path> clocks, std::vector<ReasonFile> reasons) {
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

}  // namespace

const char* reason_of(std::string_view name) {
  const auto has = [name](std::string_view part) { return name.find(part) != name.npos; };
  if (has("therm") || has("prochot") || has("ratl")) return "temperature";
  if (has("tdc") || has("iccmax")) return "current";
  if (has("pl1") || has("pl2") || has("pl4") || has("psys") || has("pwrbrk")) return "power";
  return "other";
}

Source i915_source(const fs::path& card) {
  const fs::path engine = card / "gt" / "gt0";
  std::vector<fs::path> clocks{engine / "rps_act_freq_mhz", card / "gt_act_freq_mhz"};
  std::error_code ignored;
  if (!fs::exists(clocks[0], ignored) && !fs::exists(clocks[1], ignored)) return {};
  return source_of(std::move(clocks), reason_files(engine, "throttle_reason_"));
}

Source xe_source(const fs::path& device) {
  const fs::path frequency = device / "tile0" / "gt0" / "freq0";
  std::error_code ignored;
  if (!fs::exists(frequency / "act_freq", ignored)) return {};
  return source_of({frequency / "act_freq"}, reason_files(frequency / "throttle", "reason_"));
}

}  // namespace sonde::counters
