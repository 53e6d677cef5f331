#pragma once

#include <span>
#include <string>

#include "records/reader.hpp"

namespace sonde::summary {

/// What the copy probe found on one device: ways to copy down, directions across, an API a block, then what
/// is known of its engines; empty where it measured nothing.
std::string copy_table(const std::string& device, std::span<const records::Line> lines, bool simulated);

/// "copy by the driver, from pinned memory to the device": a way to copy, where it could not be measured.
std::string copy_name(const measure::Point& point);

}  // namespace sonde::summary
