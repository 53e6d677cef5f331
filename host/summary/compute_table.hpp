#pragma once

#include <string>

#include "summary/view.hpp"

namespace sonde::summary {

/// Rates of arithmetic by type and operation, and how long one takes after the other; empty where none was measured.
std::string compute_table(const Results& compute, device::Api api, int columns);

}  // namespace sonde::summary
