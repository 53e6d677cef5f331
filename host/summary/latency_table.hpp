#pragma once

#include <string>

#include "records/device_record.hpp"
#include "summary/view.hpp"

namespace sonde::summary {

/// What a dependent load takes by working set, an API a column, and what to know about it. Empty where the latency
/// probe measured nothing.
std::string latency_table(const records::DeviceRecord& device, const View& view, int columns);

}  // namespace sonde::summary
