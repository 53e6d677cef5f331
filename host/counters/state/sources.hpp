#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "counters/state/device_state.hpp"

namespace sonde::counters {

/// Reads everything that is said of the GPU at a PCI address ("0000:c5:00.0", empty for none) and of the CPU that the
/// calling thread works on. Files are looked for below `root`; NVIDIA's library is asked only where that is "/", as any
/// other tree stands for another machine.
std::function<DeviceState()> reader_of(const std::filesystem::path& root, const std::string& pci);

}  // namespace sonde::counters
