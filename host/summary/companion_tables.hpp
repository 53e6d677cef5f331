#pragma once

#include <span>
#include <string>

#include "records/reader.hpp"

namespace sonde::summary {

/// What cpu-latency found: working sets down, pages and kinds of cores across, and the levels; empty where it measured
/// nothing.
std::string cpu_latency_table(const std::string& device, std::span<const records::Line> lines);

/// The CPU's latency by what the GPU moved meanwhile, an API a block; empty where it measured nothing.
std::string contention_table(const std::string& device, std::span<const records::Line> lines, bool simulated);

}  // namespace sonde::summary
