#pragma once

#include <span>
#include <string>
#include <utility>

#include "measure/probe.hpp"
#include "session/target.hpp"

namespace sonde::session {

/// What a run is going to measure, a line for each device and API, and about how long it takes: shown before it starts.
/// `time_limit_seconds` is 0 where there is none.
std::string plan(std::span<const std::pair<const Target*, device::Api>> work,
                 std::span<const measure::Probe* const> probes, const measure::Request& request,
                 double time_limit_seconds);

}  // namespace sonde::session
