#pragma once

#include <string>

#include "summary/view.hpp"

namespace sonde::summary {

/// A line for each thing that held a device back at some of its points: throttling, and a clock below what it reached
/// at others. Empty where nothing did, or nobody says.
std::string throttling_note(const std::string& device, const View& view, int columns);

}  // namespace sonde::summary
