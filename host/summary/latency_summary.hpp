#pragma once

#include <span>
#include <string>

#include "records/device_record.hpp"
#include "records/reader.hpp"

namespace sonde::summary {

/// What the latency probe found on one device: the table, the other paths, a small chart. Empty where it
/// measured nothing there. `lines` are the run's records; `colour` allows SGR codes.
std::string latency_summary(const records::DeviceRecord& device, std::span<const records::Line> lines, bool colour);

}  // namespace sonde::summary
