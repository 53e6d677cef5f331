#pragma once

#include <span>
#include <vector>

#include "gpu/companion.hpp"

namespace sonde::probes {

/// The windows that lie wholly inside one dispatch, however the device's clock truly lies on the host's. The first
/// dispatch does not count: caches, clocks and queues come to rest in it.
std::vector<gpu::ChaseWindow> inside(std::span<const gpu::ChaseWindow> windows, const gpu::BusyTimes& busy);

/// Bandwidth of each dispatch in which such a window lies, in GB/s.
std::vector<double> bandwidths(std::span<const gpu::ChaseWindow> inside, const gpu::BusyTimes& busy,
                               double bytes_per_dispatch);

}  // namespace sonde::probes
