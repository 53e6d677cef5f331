#pragma once

#include <span>

#include "probes/probe.hpp"

namespace sonde::probes {

extern const Probe latency;
extern const Probe bandwidth;
extern const Probe loaded_latency;
extern const Probe host_memory;
extern const Probe hit_rate;
extern const Probe zero_copy;
extern const Probe copying;
extern const Probe cpu_latency;
extern const Probe cpu_bandwidth;
extern const Probe core_to_core;
extern const Probe contention;
extern const Probe frames;
extern const Probe compute;

/// Every probe, in the order in which they run.
std::span<const Probe* const> catalog();

/// Null when there is none of this name.
const Probe* find(std::string_view name);

}  // namespace sonde::probes
