#pragma once

#include <span>
#include <string>

#include "records/reader.hpp"

namespace sonde::summary {

/// What was found of each kind of memory of one device: is it shared, how far is it from the GPU and from the CPU; an
/// API a block, empty where nothing was asked.
std::string memory_kinds_table(const std::string& device, std::span<const records::Line> lines, bool simulated);

}  // namespace sonde::summary
