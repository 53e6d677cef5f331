#include <algorithm>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "counters/traffic/counter_source.hpp"
#include "device/model/memory.hpp"
#include "device/model/model.hpp"

namespace sonde::device::model {
namespace {

/// The busiest station has this much more than its share, the idlest this much less.
constexpr double unevenness = 0.03;
/// The traffic of the CPU of an idle desktop meanwhile, its prefetches included.
constexpr double cpu_read_gbps = 0.4;
constexpr double cpu_write_gbps = 0.1;

/// The share of a station. All add up to 1, and neighbours differ.
double share_of(std::size_t station) {
  const auto rank = static_cast<double>(station * 7 % fabric_stations);
  const double middle = (fabric_stations - 1) / 2.0;
  return (1 + unevenness * (rank - middle) / middle) / fabric_stations;
}

double sum_from(const auto& by_level, std::size_t first) {
  double sum = 0;
  for (std::size_t level = first; level < by_level.size(); ++level) sum += static_cast<double>(by_level[level]);
  return sum;
}

constexpr std::size_t stations_at_once = 4;
constexpr unsigned beat_bytes = 64;

/// A counter: its bytes as the device counts them, when it was last enabled, and while it was enabled before that.
struct CountedRole {
  counters::Role role;
  const double* bytes;
  double began_bytes = 0;
  double kept_bytes = 0;
};

std::uint64_t nanoseconds_of(const SimulatedTraffic& traffic) {
  return static_cast<std::uint64_t>(traffic.seconds * 1e9);
}

/// A group that counts while it is enabled and keeps its counts while it is not.
class SimulatedGroup final : public counters::EventGroup {
 public:
  SimulatedGroup(const SimulatedTraffic& traffic, std::vector<CountedRole> counted)
      : traffic_(traffic), counted_(std::move(counted)) {}

  std::error_code enable() noexcept override {
    for (CountedRole& one : counted_) one.began_bytes = *one.bytes;
    began_ns_ = nanoseconds_of(traffic_);
    enabled_ = true;
    return {};
  }

  std::error_code disable() noexcept override {
    for (CountedRole& one : counted_) one.kept_bytes = bytes_so_far(one);
    nanoseconds_ = nanoseconds_so_far();
    enabled_ = false;
    return {};
  }

  std::error_code read(std::span<std::uint64_t> values, os::PerfTimes& times) noexcept override {
    std::ranges::transform(counted_, values.begin(), [this](const CountedRole& one) {
      return static_cast<std::uint64_t>(bytes_so_far(one) / beat_bytes);
    });
    times.enabled_ns = times.running_ns = nanoseconds_so_far();
    return {};
  }

 private:
  [[nodiscard]] double bytes_so_far(const CountedRole& one) const {
    return one.kept_bytes + (enabled_ ? *one.bytes - one.began_bytes : 0);
  }
  [[nodiscard]] std::uint64_t nanoseconds_so_far() const {
    return nanoseconds_ + (enabled_ ? nanoseconds_of(traffic_) - began_ns_ : 0);
  }

  const SimulatedTraffic& traffic_;
  std::vector<CountedRole> counted_;
  std::uint64_t began_ns_ = 0;
  std::uint64_t nanoseconds_ = 0;
  bool enabled_ = false;
};

void add(SimulatedTraffic& traffic, double fabric_read, double fabric_write, double memory_read, double memory_write,
         double nanoseconds) {
  const double cpu_read = cpu_read_gbps * nanoseconds;  // a byte a nanosecond is a GB/s
  const double cpu_written = cpu_write_gbps * nanoseconds;
  for (std::size_t station = 0; station < fabric_stations; ++station) {
    traffic.stations[station].read += share_of(station) * (fabric_read + cpu_read);
    traffic.stations[station].write += share_of(station) * (fabric_write + cpu_written);
  }
  traffic.memory_read += memory_read + cpu_read;
  traffic.memory_write += memory_write + cpu_written;
  traffic.cpu_read += cpu_read;
  traffic.cpu_write += cpu_written;
  traffic.seconds += nanoseconds * 1e-9;
}

}  // namespace

void add_dispatch(SimulatedTraffic& traffic, Memory& memory, double nanoseconds) {
  const std::vector<ModelLevel>& levels = memory.levels();
  const std::size_t memory_level = levels.size() - 2;
  // The first level behind the GPU's own caches, and the size of a request that misses the last of these.
  const auto first_behind = std::ranges::find_if(levels, &ModelLevel::memory_side);
  const std::size_t first =
      first_behind == levels.end() ? memory_level : static_cast<std::size_t>(first_behind - levels.begin());
  const double request_bytes = levels[std::max<std::size_t>(first, 1) - 1].line_bytes;
  const auto& read = memory.streamed()[static_cast<std::size_t>(Transfer::read)];
  const auto& written = memory.streamed()[static_cast<std::size_t>(Transfer::write)];
  const std::vector<std::uint64_t>& walked = memory.served();
  add(traffic, sum_from(read, first) + request_bytes * sum_from(walked, first), sum_from(written, first),
      sum_from(read, memory_level) + request_bytes * sum_from(walked, memory_level), sum_from(written, memory_level),
      nanoseconds);
}

void add_copies(SimulatedTraffic& traffic, double bytes, double nanoseconds) {
  add(traffic, bytes, bytes, bytes, bytes, nanoseconds);
}

std::unique_ptr<counters::CounterSource> simulated_counters(const SimulatedTraffic& traffic) {
  using counters::Role;
  counters::Layout layout;
  layout.name = "model";
  layout.width_bits = 48;
  std::vector<std::unique_ptr<counters::EventGroup>> groups;
  const auto add_group = [&](std::vector<CountedRole> counted, bool is_rotated) {
    for (const CountedRole& one : counted)
      layout.counters.push_back({.role = one.role, .count_bytes = beat_bytes, .group = layout.groups});
    groups.push_back(std::make_unique<SimulatedGroup>(traffic, std::move(counted)));
    layout.is_rotated.push_back(is_rotated);
    ++layout.groups;
  };
  for (std::size_t first = 0; first < traffic.stations.size(); first += stations_at_once) {
    std::vector<CountedRole> counted;
    for (const SimulatedTraffic::Station& station : std::span(traffic.stations).subspan(first, stations_at_once)) {
      counted.push_back({Role::fabric_read, &station.read});
      counted.push_back({Role::fabric_write, &station.write});
    }
    add_group(std::move(counted), true);
  }
  layout.rotations = layout.groups;
  add_group({{Role::memory_read, &traffic.memory_read}, {Role::memory_write, &traffic.memory_write}}, false);
  add_group({{Role::cpu_read, &traffic.cpu_read}, {Role::cpu_write, &traffic.cpu_write}}, false);
  return std::make_unique<counters::GroupSource>(
      std::move(layout), std::move(groups), [&traffic] { return static_cast<std::int64_t>(nanoseconds_of(traffic)); });
}

}  // namespace sonde::device::model
