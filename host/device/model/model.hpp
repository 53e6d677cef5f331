#pragma once

#include <memory>

#include "device/device.hpp"
#include "device/model/description.hpp"

namespace sonde::counters {
class CounterSource;  // counters/traffic/counter_source.hpp
}

namespace sonde::device::model {

/// The properties that the simulated device states.
[[nodiscard]] DeviceInfo describe(const Description& description);

/// A simulated GPU that runs the reference kernels on real buffer contents, through caches that know the
/// answer; the same description gives the same times. Throws Error for a description without levels.
[[nodiscard]] std::unique_ptr<Device> open(const Description& description);

/// A simulated machine's traffic, counted as the kernel counts that of AMD's integrated GPUs: the fabric has counters
/// for a quarter of its stations at once, so these are multiplexed; all memory controllers are counted together, and
/// the CPU's requests apart. `traffic` has to outlive it.
[[nodiscard]] std::unique_ptr<counters::CounterSource> simulated_counters(const SimulatedTraffic& traffic);

}  // namespace sonde::device::model
