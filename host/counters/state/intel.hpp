#pragma once

#include <filesystem>
#include <string_view>

#include "counters/state/device_state.hpp"

namespace sonde::counters {

/// One of this house's reasons for what i915 or xe calls it: "pl1" is power, "vr_thermalert" temperature.
const char* reason_of(std::string_view intels_name);

/// Clock and throttle reasons of the first tile's render engine, as i915 shows them in the folder of its card;
/// empty where i915 does not drive it.
Source i915_source(const std::filesystem::path& card);

/// The same as xe shows them, in the folder of the PCI device.
Source xe_source(const std::filesystem::path& device);

}  // namespace sonde::counters
