#pragma once

#include <span>
#include <string>

#include "measure/probe.hpp"

namespace sonde::cli {

/// The levels of one curve as a table that can be pasted into a message; every line ends with a line feed.
std::string level_table(std::span<const measure::FoundLevel> levels);

}  // namespace sonde::cli
