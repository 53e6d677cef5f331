#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "counters/state/device_state.hpp"

namespace sonde::counters {

/// The clock in MHz that amdgpu marks as the present one in a pp_dpm_* file ("1: 2371Mhz *").
std::optional<double> marked_clock_mhz(std::string_view text);

/// Clocks and throttle reasons of a PCI device that amdgpu drives; empty for any other.
Source amdgpu_source(const std::filesystem::path& device);

}  // namespace sonde::counters
