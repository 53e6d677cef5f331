#pragma once

#include <string>

#include "device/device.hpp"
#include "summary/view.hpp"

namespace sonde::summary {

/// What loads took alone and beside a load, a sentence each; empty where nothing was measured.
std::string loaded_latency_note(const Results& loaded_latency, device::Api api, int columns);

}  // namespace sonde::summary
