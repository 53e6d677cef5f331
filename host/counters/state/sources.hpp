#pragma once

#include <filesystem>
#include <map>
#include <string_view>

#include "counters/state/device_state.hpp"
#include "os/library.hpp"

// Where the state of a GPU and of the CPU comes from: one function a driver.
namespace sonde::counters {

/// Fills in the fields that it knows and leaves the others alone; called again and again, by one thread at a time.
using Source = std::function<void(DeviceState&)>;

/// Reads everything that is known of the GPU at a PCI address ("0000:c5:00.0", empty for none) and of the CPU that the
/// calling thread runs on. Files are looked for below `root`; NVIDIA's library is asked only where that is "/", as any
/// other tree stands for another machine.
std::function<DeviceState()> reader_of(const std::filesystem::path& root, const std::string& pci);

/// Clocks and throttle reasons of a PCI device that amdgpu drives; empty for any other.
Source amdgpu_source(const std::filesystem::path& device);

/// Bytes of the caches that amdgpu states for the GPU at a PCI address, by level, the largest where several differ;
/// empty for any other device.
/// Source: Linux, drivers/gpu/drm/amd/amdkfd/kfd_topology.c (class/kfd/kfd/topology, sizes in KiB).
std::map<int, std::uint64_t> amdgpu_caches(const std::filesystem::path& root, const std::string& pci);

/// Clocks, temperature, power and throttle reasons of the NVIDIA GPU at a PCI address, from `library`, which is loaded
/// now and unloaded with the source. Empty where there is no such library or no such GPU.
Source nvml_source(const std::string& pci, const std::string& library = os::nvidia_management);

/// The clock of the CPU that `which_cpu` names, else of the one that the calling thread runs on, whoever reads it; the
/// fastest in a tree without that CPU. cpufreq states it, or /proc/cpuinfo, or, as on Arm64, the device tree, all below
/// `root`. An idle CPU would state the clock that was last asked for, which is not the one it ran at.
Source cpu_clock_source(const std::filesystem::path& root, std::function<std::optional<int>()> which_cpu = {});

/// The CPU that a thread of this process ran on last, from its line in /proc/self/task/<id>/stat.
std::optional<int> last_cpu_in(std::string_view stat);

}  // namespace sonde::counters
