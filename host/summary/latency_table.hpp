#pragma once

#include <string>

#include "records/device_record.hpp"
#include "summary/view.hpp"

namespace sonde::summary {

/// What a dependent load takes by working set, an API a column, and what to know about it. Empty where the latency
/// probe measured nothing.
std::string latency_table(const records::DeviceRecord& device, const View& view, int columns);

/// The curves of the latency table as a small chart; empty where there are none. `colour` allows SGR codes.
std::string latency_chart(const std::string& device, const View& view, int columns, bool colour);

/// A line for each thing that held a device back at some of its points: throttling, and a clock below what it reached
/// at others. Empty where nothing did, or nobody says.
std::string throttling_note(const std::string& device, const View& view, int columns);

}  // namespace sonde::summary
