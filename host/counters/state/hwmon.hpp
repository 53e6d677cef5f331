#pragma once

#include <filesystem>
#include <optional>

#include "counters/state/device_state.hpp"

namespace sonde::counters {

/// A PCI device's folder of sensors, as the kernel's hwmon layer lays it out; nothing where its driver has none.
std::optional<std::filesystem::path> hwmon_folder(const std::filesystem::path& device);

/// Temperature (of the die, or where that is not told the next sensor) and power, which is the average or the
/// present one, or what the energy counter rose by since the last reading. Empty where there is no such folder.
Source hwmon_source(const std::filesystem::path& device);

}  // namespace sonde::counters
