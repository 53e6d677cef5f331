#include "device/model/fabric_traffic.hpp"

#include <algorithm>

namespace sonde::device::model {
namespace {

constexpr std::size_t stations = 16;
/// The busiest station has so much more than its share, the idlest so much less.
constexpr double unevenness = 0.03;
/// What the CPU of a desktop that nobody works at asks for meanwhile, its prefetches among it.
constexpr double cpu_read_gbps = 0.4;
constexpr double cpu_write_gbps = 0.1;

/// Shares that add up to 1, of which neighbours differ.
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

}  // namespace sonde::device::model
