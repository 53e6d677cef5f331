#pragma once

#include <memory>

#include "counters/traffic/counter_source.hpp"
#include "device/device.hpp"

namespace sonde::measure {

/// A simulated machine's traffic, counted as the kernel counts that of AMD's integrated GPUs: as many counters in the
/// fabric as a quarter of its stations needs, so that these take turns, all memory controllers at once, and the CPU's
/// requests apart. `traffic` has to outlive it.
std::unique_ptr<counters::CounterSource> simulated_counters(const device::SimulatedTraffic& traffic);

}  // namespace sonde::measure
