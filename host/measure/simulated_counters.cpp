#include "device/model/model.hpp"

#include <functional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "counters/traffic/event_group.hpp"

namespace sonde::measure {
namespace {

using counters::Role;
using device::SimulatedTraffic;

constexpr std::size_t stations_at_once = 4;
constexpr unsigned beat_bytes = 64;
constexpr const char* source_name = "model";

/// Something that is counted, and its bytes so far.
struct Counted {
  Role role;
  std::function<double()> bytes;
};

std::uint64_t nanoseconds_of(const SimulatedTraffic& traffic) {
  return static_cast<std::uint64_t>(traffic.seconds * 1e9);
}

/// Counts while it is enabled, and keeps its counts while it is not.
class SimulatedGroup final : public counters::EventGroup {
 public:
  SimulatedGroup(const SimulatedTraffic& traffic, std::vector<Counted> counted)
      : traffic_(traffic), counted_(std::move(counted)), began_bytes_(counted_.size()), bytes_(counted_.size()) {}

  std::error_code enable() noexcept override {
    for (std::size_t place = 0; place < counted_.size(); ++place) began_bytes_[place] = counted_[place].bytes();
    began_ns_ = nanoseconds_of(traffic_);
    enabled_ = true;
    return {};
  }

  std::error_code disable() noexcept override {
    for (std::size_t place = 0; place < counted_.size(); ++place) bytes_[place] = bytes_so_far(place);
    nanoseconds_ = nanoseconds_so_far();
    enabled_ = false;
    return {};
  }

  std::error_code read(std::span<std::uint64_t> values, os::PerfTimes& times) noexcept override {
    for (std::size_t place = 0; place < counted_.size(); ++place)
      values[place] = static_cast<std::uint64_t>(bytes_so_far(place) / beat_bytes);
    times.enabled_ns = times.running_ns = nanoseconds_so_far();
    return {};
  }

 private:
  [[nodiscard]] double bytes_so_far(std::size_t place) const {
    return bytes_[place] + (enabled_ ? counted_[place].bytes() - began_bytes_[place] : 0);
  }
  [[nodiscard]] std::uint64_t nanoseconds_so_far() const {
    return nanoseconds_ + (enabled_ ? nanoseconds_of(traffic_) - began_ns_ : 0);
  }

  const SimulatedTraffic& traffic_;
  std::vector<Counted> counted_;
  std::vector<double> began_bytes_;
  std::vector<double> bytes_;
  std::uint64_t began_ns_ = 0;
  std::uint64_t nanoseconds_ = 0;
  bool enabled_ = false;
};

/// The layout and groups of the source while they are put together.
struct Parts {
  counters::Layout layout;
  std::vector<counters::PlacedGroup> groups;

  void add(const SimulatedTraffic& traffic, std::vector<Counted> counted, bool is_rotated) {
    counters::PlacedGroup placed{
        .first_value = layout.counters.size(), .values = counted.size(), .is_rotated = is_rotated};
    for (const Counted& one : counted)
      layout.counters.push_back({.role = one.role, .count_bytes = beat_bytes, .group = layout.groups});
    placed.group = std::make_unique<SimulatedGroup>(traffic, std::move(counted));
    groups.push_back(std::move(placed));
    layout.is_rotated.push_back(is_rotated);
    ++layout.groups;
  }
};

}  // namespace

std::unique_ptr<counters::CounterSource> simulated_counters(const SimulatedTraffic& traffic) {
  Parts parts;
  parts.layout.name = source_name;
  parts.layout.width_bits = 48;
  const SimulatedTraffic* const at = &traffic;
  for (std::size_t first = 0; first < traffic.stations.size(); first += stations_at_once) {
    std::vector<Counted> counted;
    for (std::size_t station = first; station < first + stations_at_once; ++station) {
      counted.push_back({Role::fabric_read, [at, station] { return at->stations[station].read; }});
      counted.push_back({Role::fabric_write, [at, station] { return at->stations[station].write; }});
    }
    parts.add(traffic, std::move(counted), true);
  }
  parts.layout.rotations = parts.layout.groups;
  parts.add(
      traffic,
      {{Role::memory_read, [at] { return at->memory_read; }}, {Role::memory_write, [at] { return at->memory_write; }}},
      false);
  parts.add(traffic,
            {{Role::cpu_read, [at] { return at->cpu_read; }}, {Role::cpu_write, [at] { return at->cpu_write; }}},
            false);
  return std::make_unique<counters::GroupSource>(std::move(parts.layout), std::move(parts.groups),
                                                 [at] { return static_cast<std::int64_t>(nanoseconds_of(*at)); });
}

}  // namespace sonde::measure
