#pragma once

#include <string>

#include "summary/view.hpp"

namespace sonde::summary {

/// The CPU's own bandwidth by working set, each stream in memory by either kind of stores, and what was found; empty
/// where nothing was measured.
std::string cpu_bandwidth_table(const Results& cpu_bandwidth, int columns);

}  // namespace sonde::summary
