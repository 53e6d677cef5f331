#pragma once

#include <string>

#include "summary/view.hpp"

namespace sonde::summary {

/// From the cores of each NUMA node (rows) to the memory of each (columns), with a title; empty where nothing was
/// measured of nodes.
std::string node_table(const Results& results, const std::string& title, int columns);

}  // namespace sonde::summary
