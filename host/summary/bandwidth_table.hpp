#pragma once

#include <span>
#include <string>

#include "records/reader.hpp"

namespace sonde::summary {

/// What the bandwidth probe found on one device: patterns down, working sets across the levels, an API a block; empty
/// where it measured nothing.
std::string bandwidth_table(const std::string& device, std::span<const records::Line> lines, bool simulated);

}  // namespace sonde::summary
