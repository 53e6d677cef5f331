#pragma once

#include "device/device.hpp"

namespace sonde::device {

/// The loader of an API is there, and shows no device.
struct NoDevice : Unsupported {
  using Unsupported::Unsupported;
};

/// Throws Error where a driver counts more devices than any machine has: no memory holds what some count.
inline void check_count(std::uint32_t devices) {
  constexpr std::uint32_t most = 4096;
  if (devices > most)
    throw Error("the driver counts " + std::to_string(devices) + " devices, which cannot be; report it");
}

}  // namespace sonde::device
