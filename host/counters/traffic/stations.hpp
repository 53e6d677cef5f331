#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "counters/traffic/event_plan.hpp"
#include "counters/traffic/fit.hpp"
#include "os/pages.hpp"

namespace sonde::counters {

/// The events of a PMU, in bundles of those of one station; a single one where it has none.
std::vector<Bundle> bundles_of(const Pmu& pmu, const PlannedPmu& plan, std::string& problem);

/// Those whose stations exist, by what they counted while memory was busy: a station of the fabric has over a hundredth
/// of what the busiest one has, one of a CPU's anything at all, as only some cores may have been busy.
/// `counts` are those of `groups`.
std::vector<Bundle> existing(const std::vector<Bundle>& bundles, std::span<const FittedGroup> groups,
                             const std::vector<std::vector<std::uint64_t>>& counts);

/// Keeps memory busy from this CPU, with more data than any cache holds, which go with it.
class MemoryLoad {
 public:
  MemoryLoad();
  /// For some milliseconds.
  void run();

 private:
  os::Pages pages_;
  std::uint64_t at_ = 0;
};

}  // namespace sonde::counters
