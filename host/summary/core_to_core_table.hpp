#pragma once

#include <string>

#include "summary/view.hpp"

namespace sonde::summary {

/// What a line takes from each CPU to each other one, where they are few enough for a terminal, and what was found of
/// all; empty where nothing was measured.
std::string core_to_core_table(const Results& core_to_core, int columns);

}  // namespace sonde::summary
