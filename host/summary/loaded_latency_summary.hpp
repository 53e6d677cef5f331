#pragma once

#include <span>
#include <string>

#include "records/reader.hpp"

namespace sonde::summary {

/// What a device's loads took alone and beside a load, a line each; empty where nothing was measured.
std::string loaded_latency_summary(const std::string& device, std::span<const records::Line> lines, bool simulated);

}  // namespace sonde::summary
