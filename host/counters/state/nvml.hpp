#pragma once

#include <string>

#include "counters/state/device_state.hpp"
#include "os/library.hpp"

namespace sonde::counters {

/// Clocks, temperature, power and throttle reasons of the NVIDIA GPU at a PCI address, from `library`, which is
/// loaded now and let go with the source. Empty where there is no such library or no such GPU.
Source nvml_source(const std::string& pci, const std::string& library = os::nvidia_management);

}  // namespace sonde::counters
