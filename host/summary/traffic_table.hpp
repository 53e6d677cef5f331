#pragma once

#include <string>

#include "summary/view.hpp"

namespace sonde::summary {

/// Of each curve that counters saw the largest point: bytes at the fabric and at memory for each byte that the kernel
/// asked for, and the share that memory did not have to move. Empty where nothing was counted.
std::string traffic_table(const std::string& device, const View& view, bool is_simulated, int columns);

}  // namespace sonde::summary
