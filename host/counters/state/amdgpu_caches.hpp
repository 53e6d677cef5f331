#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace sonde::counters {

/// Bytes of the caches that amdgpu states of the GPU at a PCI address ("0000:c5:00.0"), by level, the largest where
/// several differ; none of any other device.
/// Source: Linux, drivers/gpu/drm/amd/amdkfd/kfd_topology.c (class/kfd/kfd/topology, sizes in KiB).
std::map<int, std::uint64_t> amdgpu_caches(const std::filesystem::path& root, const std::string& pci);

}  // namespace sonde::counters
