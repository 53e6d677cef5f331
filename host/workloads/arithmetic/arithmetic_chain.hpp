#pragma once

#include "measure/probe.hpp"
#include "measure/settle.hpp"

namespace sonde::workloads {

/// A chain of dependent arithmetic that touches no memory: its time follows the device's clock alone.
measure::Workload arithmetic_chain(device::Device& device);

/// Tells the device's core clock whenever it is called, by half a millisecond of arithmetic; itself empty where
/// cycles cannot be known. `read_mhz` asks the device's sensors. The device must outlive it.
std::function<std::optional<measure::CoreClock>()> core_clock_of(device::Device& device,
                                                                 const measure::Settled& settled,
                                                                 const std::function<std::optional<double>()>& read_mhz,
                                                                 const std::function<void()>& alive);

}  // namespace sonde::workloads
