#pragma once

#include <span>

#include "measure/probe.hpp"

namespace sonde::probes {

extern const measure::Probe latency;
extern const measure::Probe bandwidth;
extern const measure::Probe loaded_latency;
extern const measure::Probe host_memory;
extern const measure::Probe zero_copy;
extern const measure::Probe copying;
extern const measure::Probe cpu_latency;
extern const measure::Probe contention;

/// Every probe, in the order in which they run.
std::span<const measure::Probe* const> catalog();

/// Null when there is none of this name.
const measure::Probe* find(std::string_view name);

}  // namespace sonde::probes
