#include "counters/traffic/fit.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace sonde::counters {
namespace {

std::size_t events_in(const std::vector<Bundle>& bundles) {
  std::size_t count = 0;
  for (const Bundle& bundle : bundles) count += bundle.size();
  return count;
}

std::vector<std::vector<WantedEvent>> packed(const std::vector<Bundle>& bundles, std::size_t most_events) {
  std::vector<std::vector<WantedEvent>> packs;
  for (const Bundle& bundle : bundles) {
    if (packs.empty() || packs.back().size() + bundle.size() > most_events) packs.emplace_back();
    packs.back().insert(packs.back().end(), bundle.begin(), bundle.end());
  }
  return packs;
}

std::unique_ptr<EventGroup> open_pack(const std::vector<WantedEvent>& events, int cpu, const OpenGroup& open,
                                      std::error_code& problem) {
  std::vector<os::PerfEvent> plain;
  for (const WantedEvent& event : events) plain.push_back(event.event);
  return open(plain, cpu, problem);
}

std::vector<FittedGroup> open_packs(const std::vector<Bundle>& bundles, std::size_t most_events, int cpu,
                                    const OpenGroup& open, std::error_code& problem) {
  std::vector<FittedGroup> groups;
  for (auto& events : packed(bundles, most_events)) {
    auto group = open_pack(events, cpu, open, problem);
    if (!group) return {};
    groups.push_back({std::move(events), std::move(group)});
  }
  return groups;
}

}  // namespace

std::vector<std::vector<std::uint64_t>> count_each(std::vector<FittedGroup>& groups,
                                                   const std::function<void()>& wait) {
  std::vector<std::vector<std::uint64_t>> counts;
  for (FittedGroup& one : groups) {
    std::vector<std::uint64_t> before(one.events.size());
    std::vector<std::uint64_t> after(one.events.size());
    os::PerfTimes first;
    os::PerfTimes last;
    const bool began = !one.group->enable() && !one.group->read(before, first);
    wait();
    const bool ended = !one.group->read(after, last) && !one.group->disable();
    const std::uint64_t running = last.running_ns - first.running_ns;
    if (!began || !ended || running == 0 || running != last.enabled_ns - first.enabled_ns) return {};
    for (std::size_t event = 0; event < after.size(); ++event) after[event] -= before[event];
    counts.push_back(std::move(after));
  }
  return counts;
}

Fitted fit(const std::vector<Bundle>& bundles, int cpu, const OpenGroup& open, const std::function<void()>& wait) {
  std::size_t largest_bundle = 0;
  for (const Bundle& bundle : bundles) largest_bundle = std::max(largest_bundle, bundle.size());
  Fitted fitted;
  // PMUs have powers of two.
  for (std::size_t most = std::bit_ceil(events_in(bundles)); most >= largest_bundle && most > 0; most /= 2) {
    fitted.groups = open_packs(bundles, most, cpu, open, fitted.problem);
    const bool too_many = fitted.problem == std::errc::invalid_argument;
    if (fitted.groups.empty() && !too_many) return fitted;
    if (!fitted.groups.empty() && !count_each(fitted.groups, wait).empty()) return fitted;
    if (!fitted.groups.empty()) fitted.problem = std::make_error_code(std::errc::device_or_resource_busy);
    fitted.groups.clear();
  }
  return fitted;
}

}  // namespace sonde::counters
