#pragma once

#include <span>
#include <vector>

#include "probes/probe.hpp"

namespace sonde::probes {

/// What one kind of memory is in one direction, and whether further visits may settle an unclear one.
struct SharingVerdict {
  Finding finding;
  bool is_open = false;
};

/// Of each kind and direction that was measured.
std::vector<SharingVerdict> sharing_verdicts(std::span<const Measurement> measurements);

}  // namespace sonde::probes
