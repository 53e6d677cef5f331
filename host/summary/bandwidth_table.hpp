#pragma once

#include <string>

#include "device/device.hpp"
#include "summary/view.hpp"

namespace sonde::summary {

/// What the bandwidth probe found: working sets down, patterns across, then the other ways to read, how many
/// work-groups it takes, and what is not to be believed. Empty where it measured nothing.
std::string bandwidth_table(const Results& bandwidth, device::Api api, int columns);

}  // namespace sonde::summary
