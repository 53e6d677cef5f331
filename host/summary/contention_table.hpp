#pragma once

#include <string>

#include "device/device.hpp"
#include "summary/view.hpp"

namespace sonde::summary {

/// What a load takes on the CPU by what the GPU moves meanwhile; empty where nothing was measured.
std::string contention_table(const Results& contention, device::Api api, int columns);

}  // namespace sonde::summary
