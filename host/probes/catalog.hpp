#pragma once

#include "probes/probe.hpp"

namespace sonde::probes {

extern const Probe latency;
extern const Probe bandwidth;
extern const Probe loaded_latency;
extern const Probe cpu_loaded_latency;
extern const Probe host_memory;
extern const Probe hit_rate;
extern const Probe zero_copy;
extern const Probe copying;
extern const Probe cpu_latency;
extern const Probe cpu_bandwidth;
extern const Probe core_to_core;
extern const Probe split_locks;
extern const Probe contention;
extern const Probe frames;
extern const Probe compute;

/// Every probe, in the order in which they run.
std::span<const Probe* const> catalog();

/// The probe with an id; null when there is none.
const Probe* find(std::string_view id);

/// The probes that records, and users, know by a name.
std::vector<const Probe*> named(std::string_view name);

/// What a record's probe declares about its words, or about its findings; null where this version declares nothing.
const measure::Curve* find_curve(std::string_view probe, const measure::Words& words, std::string_view unit);
const measure::FindingKind* find_finding_kind(std::string_view probe, std::string_view finding);

}  // namespace sonde::probes
