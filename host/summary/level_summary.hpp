#pragma once

#include <string>

#include "gpu/device.hpp"
#include "summary/view.hpp"

namespace sonde::summary {

/// The levels of one device through one API, with what a level takes and delivers in one row, and what a launch takes.
/// Empty where neither probe told anything of them.
std::string level_summary(const Results& latency, const Results& bandwidth, gpu::Api api, int columns);

/// What the latency probe found beside levels, each once though it has a record with both APIs.
std::string latency_findings(const std::string& device, const View& view, int columns);

}  // namespace sonde::summary
