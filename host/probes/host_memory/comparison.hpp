#pragma once

#include <set>
#include <span>
#include <string>

#include "probes/probe.hpp"

namespace sonde::probes {

/// What the kinds of memory are beside the first, and of which of them further visits may tell more.
struct KindsCompared {
  Conclusion conclusion;
  std::set<std::string> open;
};

KindsCompared compare_kinds(std::span<const Measurement> measurements);

}  // namespace sonde::probes
