#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <system_error>
#include <vector>

#include "counters/traffic/event_group.hpp"
#include "counters/traffic/role.hpp"

namespace sonde::counters {

/// An event that is wanted, and what its count stands for.
struct WantedEvent {
  os::PerfEvent event;
  Role role = Role::other;
  unsigned count_bytes = 0;
  unsigned station = 0;
};

/// Events that make sense only together: a station's reads and writes.
using Bundle = std::vector<WantedEvent>;

struct FittedGroup {
  std::vector<WantedEvent> events;
  std::unique_ptr<EventGroup> group;  ///< not counting
};

struct Fitted {
  std::vector<FittedGroup> groups;
  std::error_code problem;  ///< why there are none
};

/// Opens bundles of one PMU in as few groups as its counters allow, whose number no file tells: where the kernel
/// refuses a group, or takes it and never counts, groups of half as many events are tried. `wait` lets some
/// milliseconds pass.
Fitted fit(const std::vector<Bundle>& bundles, int cpu, const OpenGroup& open, const std::function<void()>& wait);

/// What each event of the groups counts meanwhile, one group after the other; empty where one does not count.
std::vector<std::vector<std::uint64_t>> count_each(std::vector<FittedGroup>& groups, const std::function<void()>& wait);

}  // namespace sonde::counters
