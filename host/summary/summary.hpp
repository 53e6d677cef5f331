#pragma once

#include <span>
#include <string>
#include <vector>

#include "records/device_record.hpp"
#include "records/reader.hpp"

namespace sonde::summary {

/// What a run found, for a person: a table and a small chart for each device, and what was left out and why.
/// `lines` are the run's records; `colour` allows SGR codes.
std::string summary(std::span<const records::DeviceRecord> devices, std::span<const records::Line> lines, bool colour);

}  // namespace sonde::summary
