#pragma once

#include <chrono>

#include "device/device.hpp"

namespace sonde::cpu {

/// By the steady clock, whose beginning means nothing.
inline device::Nanoseconds steady_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace sonde::cpu
