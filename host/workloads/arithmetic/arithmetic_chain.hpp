#pragma once

#include <functional>
#include <optional>

#include "device/device.hpp"
#include "measure/probe.hpp"
#include "measure/settle.hpp"

namespace sonde::workloads {

/// A chain of dependent arithmetic that touches no memory: its time follows the device's clock alone.
measure::Workload arithmetic_chain(device::Device& device);

/// The time of a counted run.
struct TimedTicks {
  device::Nanoseconds time{0};
  std::uint32_t ticks = 0;  ///< of the core's counter
};

/// No counted run may take as many ticks as its counter has: 20 bits on AMD's gfx11.
inline constexpr std::uint32_t ticks_of_a_narrow_counter = 1u << 20;

/// Runs so many steps of the same chain between two readings of the core's counter. Only for devices whose info says
/// that they have one; throws device::Error when a run did not do its work.
std::function<TimedTicks(std::uint64_t steps)> counted_arithmetic_chain(device::Device& device);

/// Tells the device's core clock whenever it is called, by half a millisecond of arithmetic; itself empty where
/// cycles cannot be known. `read_mhz` asks the device's sensors. The device must outlive it.
std::function<std::optional<measure::CoreClock>()> core_clock_of(device::Device& device,
                                                                 const measure::Settled& settled,
                                                                 const std::function<std::optional<double>()>& read_mhz,
                                                                 const std::function<void()>& alive);

}  // namespace sonde::workloads
