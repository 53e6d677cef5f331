#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "counters/traffic/event_group.hpp"
#include "counters/traffic/event_plan.hpp"
#include "os/pages.hpp"

namespace sonde::counters {

/// An event to be counted, and the meaning of its count.
struct WantedEvent {
  os::PerfEvent event;
  Role role = Role::other;
  unsigned count_bytes = 0;
  unsigned station = 0;
};

/// Events that have to count at the same time: a station's reads and writes.
using Bundle = std::vector<WantedEvent>;

struct FittedGroup {
  std::vector<WantedEvent> events;
  std::unique_ptr<EventGroup> group;  ///< switched off
};

struct FittedGroups {
  std::vector<FittedGroup> groups;
  std::error_code problem;  ///< why there are none
};

/// Opens bundles of one PMU in as few groups as it has counters for. No file states their number: where the kernel
/// refuses a group, or takes it and never counts, groups of half as many events are tried. `wait` lets some
/// milliseconds pass.
FittedGroups fit(const std::vector<Bundle>& bundles, int cpu, const OpenGroup& open, const std::function<void()>& wait);

/// Counts each event during `wait`, one group after the other; empty where a group does not count.
std::vector<std::vector<std::uint64_t>> count_each(std::vector<FittedGroup>& groups, const std::function<void()>& wait);

/// The events of a PMU, bundled by station; in a single bundle where it has none.
std::vector<Bundle> bundles_of(const Pmu& pmu, const PlannedPmu& plan, std::string& problem);

/// The bundles whose stations exist, judged by `counts` of `groups` while memory was busy: a station of the fabric
/// counts over a hundredth of what the busiest does, a CPU's anything at all, as only some cores may have been busy.
std::vector<Bundle> existing(const std::vector<Bundle>& bundles, std::span<const FittedGroup> groups,
                             const std::vector<std::vector<std::uint64_t>>& counts);

/// Keeps memory busy from this CPU, with more data than any cache holds, which this object owns.
class MemoryLoad {
 public:
  MemoryLoad();
  /// Runs for some milliseconds.
  void run();

 private:
  os::Pages pages_;
  std::uint64_t at_ = 0;
};

}  // namespace sonde::counters
