#pragma once

#include "device/device.hpp"

namespace sonde::device {

/// Throws Unsupported, naming the limit, when a buffer of this size is more than the driver allows or than
/// `available_bytes` leaves.
void check_fits(const DeviceInfo& info, std::uint64_t available_bytes, std::uint64_t size_bytes,
                Use use = Use::storage);

}  // namespace sonde::device
