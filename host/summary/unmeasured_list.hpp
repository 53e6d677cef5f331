#pragma once

#include <span>
#include <string>

#include "summary/view.hpp"

namespace sonde::summary {

/// What was skipped, and what failed, each with its reason; empty where nothing was.
std::string unmeasured_list(std::span<const Unmeasured> unmeasured, int columns);

}  // namespace sonde::summary
