#pragma once

#include <string>

#include "summary/view.hpp"

namespace sonde::summary {

/// Latencies by the other paths than the vector one, each in its smallest and its largest working set; empty where none
/// was walked.
std::string further_paths_table(const std::string& device, const View& view, int columns);

}  // namespace sonde::summary
