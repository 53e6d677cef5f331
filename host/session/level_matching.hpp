#pragma once

#include <vector>

#include "measure/probe.hpp"

namespace sonde::session {

/// The levels that the probes of one device find through one API, one probe after the other.
class LevelMatching {
 public:
  /// The same levels; those of a bandwidth curve with the numbers of the latency levels that came before and are one
  /// with them.
  std::vector<measure::FoundLevel> matched(const measure::Probe& probe, std::vector<measure::FoundLevel> levels);

 private:
  std::vector<measure::FoundLevel> latency_;
};

}  // namespace sonde::session
