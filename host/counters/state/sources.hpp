#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "counters/state/device_state.hpp"
#include "os/library.hpp"

// Where the state of a GPU and of the CPU comes from: one function a driver, each in a source of its own.
namespace sonde::counters {

/// Fills in the fields that it knows and leaves the others alone; called again and again, by one thread at a time.
using Source = std::function<void(DeviceState&)>;

/// Reads everything that is known of the GPU at a PCI address ("0000:c5:00.0", empty for none) and of the CPU that the
/// calling thread runs on. Files are looked for below `root`; NVIDIA's library is asked only where that is "/", as any
/// other tree stands for another machine.
std::function<DeviceState()> reader_of(const std::filesystem::path& root, const std::string& pci);

/// Clocks and throttle reasons of a PCI device that amdgpu drives; empty for any other.
Source amdgpu_source(const std::filesystem::path& device);

/// The clock in MHz that amdgpu marks as the present one in a pp_dpm_* file ("1: 2371Mhz *").
std::optional<double> marked_clock_mhz(std::string_view text);

/// Why an AMD GPU is throttled, from the bytes of amdgpu's `gpu_metrics`.
class GpuMetrics {
 public:
  /// Nothing for a table that does not tell, or not in a way that all chips share. Later tables count how long each
  /// throttler was engaged, so that the first of them tells nothing yet.
  std::optional<std::set<std::string>> throttle_reasons(std::string_view table);

 private:
  std::string before_;
};

/// Bytes of the caches that amdgpu states for the GPU at a PCI address, by level, the largest where several differ;
/// empty for any other device.
/// Source: Linux, drivers/gpu/drm/amd/amdkfd/kfd_topology.c (class/kfd/kfd/topology, sizes in KiB).
std::map<int, std::uint64_t> amdgpu_caches(const std::filesystem::path& root, const std::string& pci);

/// Clock and throttle reasons of the first tile's render engine, which i915 shows in the folder of its card; empty
/// where i915 does not drive it.
Source i915_source(const std::filesystem::path& card);

/// The same of xe, which shows them in the folder of the PCI device.
Source xe_source(const std::filesystem::path& device);

/// DeviceState's word for a throttle reason of i915 or xe: "pl1" is power, "vr_thermalert" temperature.
const char* reason_of(std::string_view intels_name);

/// Clocks, temperature, power and throttle reasons of the NVIDIA GPU at a PCI address, from `library`, which is loaded
/// now and unloaded with the source. Empty where there is no such library or no such GPU.
Source nvml_source(const std::string& pci, const std::string& library = os::nvidia_management);

/// A PCI device's folder of sensors in the layout of the kernel's hwmon; nothing where its driver has none.
std::optional<std::filesystem::path> hwmon_folder(const std::filesystem::path& device);

/// Temperature, of the die or else of the next sensor, and power: the average, the present one, or what the energy
/// counter rose by since the last reading. Empty where there is no such folder.
Source hwmon_source(const std::filesystem::path& device);

/// The clock of the CPU that the calling thread runs on, whoever reads it. cpufreq states it, or /proc/cpuinfo, or, as
/// on Arm64, the device tree, all below `root`. An idle CPU would state the clock that was last asked for, which is not
/// the one it ran at.
Source cpu_clock_source(const std::filesystem::path& root);

/// The same for the CPU that `which_cpu` names; the fastest in a tree that does not have it.
Source cpu_clock_source(const std::filesystem::path& root, const std::function<std::optional<int>()>& which_cpu);

/// The CPU that a thread of this process ran on last, from its line in /proc/self/task/<id>/stat.
std::optional<int> last_cpu_in(std::string_view stat);

/// "cpu MHz" of a CPU in the text of /proc/cpuinfo; of the fastest where that CPU is not in it.
std::optional<double> cpuinfo_clock_mhz(std::string_view text, int cpu);

}  // namespace sonde::counters
