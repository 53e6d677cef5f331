#pragma once

#include <string>

#include "device/device.hpp"
#include "summary/view.hpp"

namespace sonde::summary {

/// What share of the loads the last cache serves at each working set, and what was found of it; empty where hit-rate
/// found nothing.
std::string hit_rate_table(const Results& hit_rate, device::Api api, int columns);

}  // namespace sonde::summary
