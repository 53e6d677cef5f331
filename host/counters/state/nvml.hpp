#pragma once

#include <string>

#include "counters/state/device_state.hpp"

namespace sonde::counters {

/// The name under which NVIDIA's driver installs its management library.
inline constexpr const char* nvml_library = "libnvidia-ml.so.1";

/// Clocks, temperature, power and throttle reasons of the NVIDIA GPU at a PCI address, from `library`, which is
/// loaded now and let go with the source. Empty where there is no such library or no such GPU.
Source nvml_source(const std::string& pci, const std::string& library = nvml_library);

}  // namespace sonde::counters
