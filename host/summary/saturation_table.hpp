#pragma once

#include <string>

#include "summary/view.hpp"

namespace sonde::summary {

/// How many work-groups get the bandwidth of a level, a working set a row; empty where it was not measured.
std::string saturation_table(const Results& bandwidth, int columns);

}  // namespace sonde::summary
