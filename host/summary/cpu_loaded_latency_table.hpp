#pragma once

#include <string>

#include "summary/view.hpp"

namespace sonde::summary {

/// What loads of the CPU itself took beside what other cores moved, in the largest working set; and the findings. Empty
/// where nothing was measured.
std::string cpu_loaded_latency_table(const Results& loaded_latency, int columns);

}  // namespace sonde::summary
