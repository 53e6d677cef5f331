#include "counters/state/sources.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "counters/state/sysfs.hpp"
#include "os/machine.hpp"

namespace sonde::counters {
namespace {

namespace fs = std::filesystem;

/// A GPU has two folders: that of the PCI device and that of the graphics card, which i915 uses.
struct Gpu {
  fs::path device;
  std::optional<fs::path> card;
};

/// The folders are found by PCI address; in a tree that has only cards, by the device that a card links to.
Gpu find_gpu(const fs::path& root, const std::string& pci) {
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

}  // namespace

std::function<DeviceState()> reader_of(const fs::path& root, const std::string& pci) {
  const bool has_files = os::has_proc_and_sys || root != "/";
  std::vector<Source> sources;
  const auto add = [&sources](Source source) {
    if (source) sources.push_back(std::move(source));
  };
  if (!pci.empty() && has_files) {
    const Gpu gpu = find_gpu(root, pci);
    add(amdgpu_source(gpu.device));
    if (gpu.card) add(i915_source(*gpu.card));
    add(xe_source(gpu.device));
    add(hwmon_source(gpu.device));
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
