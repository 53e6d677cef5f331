#pragma once

#include <string>

#include "device/device.hpp"
#include "summary/view.hpp"

namespace sonde::summary {

/// What a frame of each resolution takes and moves; empty where no frames were rendered.
std::string frames_table(const Results& frames, device::Api api, int columns);

}  // namespace sonde::summary
