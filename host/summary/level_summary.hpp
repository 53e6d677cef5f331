#pragma once

#include <span>
#include <string>

#include "records/device_record.hpp"
#include "records/reader.hpp"

namespace sonde::summary {

/// The levels of one device through each API, with what a level takes and delivers in one row, what a launch takes, and
/// what was found about them. Empty where no probe saw a level and nothing was found.
std::string level_summary(const records::DeviceRecord& device, std::span<const records::Line> lines);

}  // namespace sonde::summary
