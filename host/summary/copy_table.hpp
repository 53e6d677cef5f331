#pragma once

#include <string>

#include "device/device.hpp"
#include "summary/view.hpp"

namespace sonde::summary {

/// What the copy probe found: ways to copy down, directions across, then what is known of its engines. Empty where it
/// measured nothing.
std::string copy_table(const Results& copy, device::Api api, int columns);

}  // namespace sonde::summary
