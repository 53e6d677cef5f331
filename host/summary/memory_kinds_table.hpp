#pragma once

#include <string>

#include "device/device.hpp"
#include "summary/view.hpp"

namespace sonde::summary {

/// What was found of each kind of memory: is it shared in either direction, how far is it from the GPU and from the
/// CPU. Empty where nothing was asked.
std::string memory_kinds_table(const Results& zero_copy, const Results& host_memory, device::Api api, int columns);

}  // namespace sonde::summary
