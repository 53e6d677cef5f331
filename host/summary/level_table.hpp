#pragma once

#include <span>
#include <string>

#include "measure/probe.hpp"

namespace sonde::summary {

/// The levels that two curves tell, of latency and of bandwidth, as a table that can be pasted into a message: a level
/// a row, sizes from latency where it has them. Either may be empty.
std::string level_table(std::span<const measure::FoundLevel> latency, std::span<const measure::FoundLevel> bandwidth,
                        int columns);

}  // namespace sonde::summary
