#include "counters/traffic/fit.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "os/time.hpp"

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

constexpr std::uint64_t more_than_any_cache = std::uint64_t{256} << 20;

bool is_of_the_cpu(Role role) { return role == Role::cpu_read || role == Role::cpu_write; }

/// A bundle's key, the station's number and the event's own bits: reads and writes of one interface.
using StationEvent = std::pair<unsigned, std::uint64_t>;

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

FittedGroups fit(const std::vector<Bundle>& bundles, int cpu, const OpenGroup& open,
                 const std::function<void()>& wait) {
  std::size_t largest_bundle = 0;
  for (const Bundle& bundle : bundles) largest_bundle = std::max(largest_bundle, bundle.size());
  FittedGroups fitted;
  // The number of a PMU's counters is a power of two.
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

std::vector<Bundle> bundles_of(const Pmu& pmu, const PlannedPmu& plan, std::string& problem) {
  std::map<StationEvent, Bundle> by_station;
  for (const PlannedEvent& event : plan.events) {
    const auto words = configurations_of(pmu, event, problem);
    if (words.empty()) return {};
    for (unsigned place = 0; place < words.size(); ++place) {
      const unsigned station = event.first_station + place;
      const StationEvent key{station, plan.has_stations ? event.event : 0};
      by_station[key].push_back({.event = {.type = pmu.type, .config = words[place]},
                                 .role = event.role,
                                 .count_bytes = event.count_bytes,
                                 .station = station});
    }
  }
  std::vector<Bundle> bundles;
  for (auto& [key, bundle] : by_station) bundles.push_back(std::move(bundle));
  return bundles;
}

std::vector<Bundle> existing(const std::vector<Bundle>& bundles, std::span<const FittedGroup> groups,
                             const std::vector<std::vector<std::uint64_t>>& counts) {
  std::map<std::uint64_t, std::uint64_t> count_of;  // by configuration word
  std::uint64_t most = 0;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (std::size_t place = 0; place < groups[group].events.size(); ++place) {
      const WantedEvent& event = groups[group].events[place];
      count_of[event.event.config] = counts[group][place];
      if (!is_of_the_cpu(event.role)) most = std::max(most, counts[group][place]);
    }
  }
  std::vector<Bundle> found;
  std::ranges::copy_if(bundles, std::back_inserter(found), [&](const Bundle& bundle) {
    return std::ranges::any_of(bundle, [&](const WantedEvent& event) {
      const std::uint64_t count = count_of[event.event.config];
      return is_of_the_cpu(event.role) ? count > 0 : count > most / 100;
    });
  });
  return found;
}

MemoryLoad::MemoryLoad() : pages_(more_than_any_cache) {}

void MemoryLoad::run() {
  constexpr std::int64_t busy_ns = 20'000'000;
  constexpr std::uint64_t line_bytes = 64;
  constexpr int lines_between_looks = 4096;
  const std::int64_t end = os::steady_ns() + busy_ns;
  while (os::steady_ns() < end) {
    // The lines are written, as pages that were never written are all one page.
    for (int line = 0; line < lines_between_looks; ++line) {
      pages_.data()[at_] ^= std::byte{0xFF};
      at_ = (at_ + line_bytes) % more_than_any_cache;
    }
  }
}

}  // namespace sonde::counters
