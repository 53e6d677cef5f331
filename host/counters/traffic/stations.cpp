#include "counters/traffic/stations.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "os/clock.hpp"

namespace sonde::counters {
namespace {

constexpr std::uint64_t more_than_any_cache = std::uint64_t{256} << 20;

bool is_cpus(Role role) { return role == Role::cpu_read || role == Role::cpu_write; }

/// A station's number and an event's own bits name a bundle: reads and writes of one interface.
using StationEvent = std::pair<unsigned, std::uint64_t>;

}  // namespace

std::vector<Bundle> bundles_of(const Pmu& pmu, const PlannedPmu& plan, std::string& problem) {
  std::map<StationEvent, Bundle> by_station;
  for (const PlannedEvent& event : plan.events) {
    const auto words = words_of(pmu, event, problem);
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
      if (!is_cpus(event.role)) most = std::max(most, counts[group][place]);
    }
  }
  std::vector<Bundle> found;
  std::ranges::copy_if(bundles, std::back_inserter(found), [&](const Bundle& bundle) {
    return std::ranges::any_of(bundle, [&](const WantedEvent& event) {
      const std::uint64_t count = count_of[event.event.config];
      return is_cpus(event.role) ? count > 0 : count > most / 100;
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
    // Written, as pages that nobody has written are all one page.
    for (int line = 0; line < lines_between_looks; ++line) {
      pages_.data()[at_] ^= std::byte{0xFF};
      at_ = (at_ + line_bytes) % more_than_any_cache;
    }
  }
}

}  // namespace sonde::counters
