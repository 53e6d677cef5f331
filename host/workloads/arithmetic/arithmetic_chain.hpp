#pragma once

#include <functional>

#include "device/device.hpp"
#include "measure/probe.hpp"

namespace sonde::workloads {

/// A chain of dependent arithmetic that touches no memory: its time follows the device's clock alone.
measure::Workload arithmetic_chain(device::Device& device);

/// What a counted run took.
struct Counted {
  device::Nanoseconds time{0};
  std::uint32_t ticks = 0;  ///< of the core's counter
};

/// No counted run may take as many ticks as its counter has: 20 bits on AMD's gfx11.
inline constexpr std::uint32_t ticks_of_a_narrow_counter = 1u << 20;

/// Runs so many steps of the same chain between two readings of the core's counter. Only for devices whose info says
/// that they have one; throws device::Error when a run did not do its work.
std::function<Counted(std::uint64_t steps)> counted_arithmetic_chain(device::Device& device);

}  // namespace sonde::workloads
