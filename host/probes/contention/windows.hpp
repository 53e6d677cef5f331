#pragma once

#include <span>
#include <vector>

#include "device/device.hpp"

namespace sonde::probes {

/// The windows that lie wholly inside one dispatch, however the device's clock truly lies on the host's. The first
/// dispatch does not count: caches, clocks and queues come to rest in it.
std::vector<device::ChaseWindow> inside(std::span<const device::ChaseWindow> windows, const device::BusyTimes& busy);

/// Bandwidth of each dispatch in which such a window lies, in GB/s.
std::vector<double> bandwidths(std::span<const device::ChaseWindow> inside, const device::BusyTimes& busy,
                               double bytes_per_dispatch);

}  // namespace sonde::probes
