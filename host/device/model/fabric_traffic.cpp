#include "device/model/fabric_traffic.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "counters/traffic/event_group.hpp"
#include "device/model/model.hpp"

namespace sonde::device::model {
namespace {

constexpr std::size_t stations = 16;
/// The busiest station has this much more than its share, the idlest this much less.
constexpr double unevenness = 0.03;
/// The traffic of the CPU of an idle desktop meanwhile, its prefetches included.
constexpr double cpu_read_gbps = 0.4;
constexpr double cpu_write_gbps = 0.1;

/// The share of a station. All add up to 1, and neighbours differ.
double share_of(std::size_t station) {
  const auto rank = static_cast<double>(station * 7 % stations);
  const double middle = (stations - 1) / 2.0;
  return (1 + unevenness * (rank - middle) / middle) / stations;
}

std::size_t first_behind_the_gpu(const std::vector<Level>& levels) {
  const auto found = std::ranges::find_if(levels, &Level::memory_side);
  return found == levels.end() ? levels.size() - 2 : static_cast<std::size_t>(found - levels.begin());
}

double sum_from(const auto& by_level, std::size_t first) {
  double sum = 0;
  for (std::size_t level = first; level < by_level.size(); ++level) sum += static_cast<double>(by_level[level]);
  return sum;
}

constexpr std::size_t stations_at_once = 4;
constexpr unsigned beat_bytes = 64;

/// A counter, and its bytes so far.
struct CountedRole {
  counters::Role role;
  std::function<double()> bytes;
};

std::uint64_t nanoseconds_of(const SimulatedTraffic& traffic) {
  return static_cast<std::uint64_t>(traffic.seconds * 1e9);
}

/// A group that counts while it is enabled and keeps its counts while it is not.
class SimulatedGroup final : public counters::EventGroup {
 public:
  SimulatedGroup(const SimulatedTraffic& traffic, std::vector<CountedRole> counted)
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
  std::vector<CountedRole> counted_;
  std::vector<double> began_bytes_;
  std::vector<double> bytes_;
  std::uint64_t began_ns_ = 0;
  std::uint64_t nanoseconds_ = 0;
  bool enabled_ = false;
};

/// The layout and groups of the counters while they are put together.
struct SimulatedGroups {
  counters::Layout layout;
  std::vector<counters::PlacedGroup> groups;

  void add(const SimulatedTraffic& traffic, std::vector<CountedRole> counted, bool is_rotated) {
    counters::PlacedGroup placed{
        .first_value = layout.counters.size(), .values = counted.size(), .is_rotated = is_rotated};
    for (const CountedRole& one : counted)
      layout.counters.push_back({.role = one.role, .count_bytes = beat_bytes, .group = layout.groups});
    placed.group = std::make_unique<SimulatedGroup>(traffic, std::move(counted));
    groups.push_back(std::move(placed));
    layout.is_rotated.push_back(is_rotated);
    ++layout.groups;
  }
};

}  // namespace

FabricTraffic::FabricTraffic(const Memory& memory)
    : first_level_(first_behind_the_gpu(memory.levels())),
      request_bytes_(memory.levels()[std::max<std::size_t>(first_level_, 1) - 1].line_bytes) {
  traffic_.stations.resize(stations);
}

void FabricTraffic::add_dispatch(Memory& memory, double nanoseconds) {
  const std::size_t memory_level = memory.levels().size() - 2;
  const auto& read = memory.streamed()[static_cast<std::size_t>(Transfer::read)];
  const auto& written = memory.streamed()[static_cast<std::size_t>(Transfer::write)];
  const std::vector<std::uint64_t>& walked = memory.served();
  add(sum_from(read, first_level_) + request_bytes_ * sum_from(walked, first_level_), sum_from(written, first_level_),
      sum_from(read, memory_level) + request_bytes_ * sum_from(walked, memory_level), sum_from(written, memory_level),
      nanoseconds);
}

void FabricTraffic::add_copies(double read_bytes, double written_bytes, double nanoseconds) {
  add(read_bytes, written_bytes, read_bytes, written_bytes, nanoseconds);
}

void FabricTraffic::add(double fabric_read, double fabric_write, double memory_read, double memory_write,
                        double nanoseconds) {
  const double cpu_read = cpu_read_gbps * nanoseconds;  // a byte a nanosecond is a GB/s
  const double cpu_written = cpu_write_gbps * nanoseconds;
  for (std::size_t station = 0; station < stations; ++station) {
    traffic_.stations[station].read += share_of(station) * (fabric_read + cpu_read);
    traffic_.stations[station].write += share_of(station) * (fabric_write + cpu_written);
  }
  traffic_.memory_read += memory_read + cpu_read;
  traffic_.memory_write += memory_write + cpu_written;
  traffic_.cpu_read += cpu_read;
  traffic_.cpu_write += cpu_written;
  traffic_.seconds += nanoseconds * 1e-9;
}

std::unique_ptr<counters::CounterSource> simulated_counters(const SimulatedTraffic& traffic) {
  using counters::Role;
  SimulatedGroups parts;
  parts.layout.name = "model";
  parts.layout.width_bits = 48;
  const SimulatedTraffic* const at = &traffic;
  for (std::size_t first = 0; first < traffic.stations.size(); first += stations_at_once) {
    std::vector<CountedRole> counted;
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

}  // namespace sonde::device::model
