#pragma once

#include <string>

#include "summary/view.hpp"

namespace sonde::summary {

/// What a dependent load takes on the CPU itself, a series a column, and its levels; empty where nothing was measured.
std::string cpu_latency_table(const Results& cpu_latency, int columns);

}  // namespace sonde::summary
