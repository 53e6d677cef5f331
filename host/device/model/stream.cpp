#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "device/model/kernels.hpp"

namespace sonde::device::model {
namespace {

constexpr double cycles_per_wait = 32 * 4;
constexpr std::uint32_t blocks_per_round = 4;

/// The groups beside the walk.
struct Streams : SimulatedStream {
  std::uint32_t most_rounds = launched.scalar(9);
  std::uint32_t delay = launched.scalar(10);

  explicit Streams(const Invocation& invocation) : SimulatedStream(invocation) {
    if (invocation.scalar(11) != 1 || invocation.scalar(12) != 0)
      throw Error("the simulated streams wait without going elsewhere");
    if (spread) throw Error("the simulated streams beside a walk have their blocks in one piece");
    --groups;
  }

  [[nodiscard]] double block_bytes() const { return static_cast<double>(block_words()) * 4; }
  [[nodiscard]] double bytes_of_a_group() const { return block_bytes() * blocks; }
};

/// The first level that holds all that the groups on one of its caches walk over.
std::size_t serving_level(const Memory& memory, const Streams& streams) {
  std::size_t level = 0;
  // The last level but one is the device's memory; the host's stands behind it.
  for (; level + 2 < memory.levels().size(); ++level) {
    const double units = static_cast<double>(memory.caches(level));
    const double groups = streams.is_shared() ? 1 : std::ceil(streams.groups / units);
    if (streams.bytes_of_a_group() * groups <= static_cast<double>(memory.levels()[level].bytes)) break;
  }
  return level;
}

/// The sums of blocks, added up along each group's positions.
const std::vector<std::uint32_t>& sums_of(Invocation& invocation, const Streams& streams) {
  StreamMemory& memory = invocation.kernel.stream_memory;
  const BufferWords stream = invocation.buffer(2);
  if (!memory.sums.empty() && memory.sums_version == stream.version()) return memory.sums;
  memory.sums_version = stream.version();
  memory.sums.clear();
  for (std::uint32_t group = 0; group < (streams.is_shared() ? 1 : streams.groups); ++group) {
    memory.sums.push_back(0);
    for (std::uint32_t position = 0; position < streams.blocks; ++position) {
      const std::uint64_t block =
          std::uint64_t{group} * streams.group_step + std::uint64_t{position} * streams.block_step;
      const std::uint32_t words = streams.block_words();
      const std::uint32_t* const first = stream.contents(block * words, words);
      memory.sums.push_back(std::accumulate(first, first + words, memory.sums.back()));
    }
  }
  return memory.sums;
}

std::uint32_t sum_of(const std::uint32_t* before, const Streams& streams, std::uint32_t group, std::uint32_t blocks) {
  const std::uint32_t first = streams.position(group, 0);
  const std::uint32_t end = first + blocks % streams.blocks;
  std::uint32_t sum = blocks / streams.blocks * before[streams.blocks];
  const auto add_run = [&](std::uint64_t begin, std::uint64_t after) { sum += before[after] - before[begin]; };
  streams.for_each_run(group, first, end, add_run);
  return sum;
}

}  // namespace

bool alike(const Traffic& one, const Traffic& other) {
  constexpr double tolerated = 0.002;
  double sum = 0;
  double difference = 0;
  for (std::size_t transfer = 0; transfer < one.size(); ++transfer) {
    if (one[transfer].size() != other[transfer].size()) return false;
    for (std::size_t level = 0; level < one[transfer].size(); ++level) {
      sum += one[transfer][level];
      difference += std::abs(one[transfer][level] - other[transfer][level]);
    }
  }
  return difference <= tolerated * sum;
}

void make_trip(Invocation& invocation, const SimulatedStream& stream, std::span<Touch> touches, std::uint32_t trip) {
  for (std::uint32_t group = 0; group < stream.groups; ++group) {
    invocation.memory.enter(group);
    const std::uint32_t position = stream.position(group, trip);
    for (Touch& touch : touches) {
      const auto at = static_cast<std::uint32_t>((std::uint64_t{position} + touch.shift) % stream.blocks);
      for (std::uint32_t piece = 0; piece < stream.pieces(); ++piece) {
        touch.words.stream(stream.word_at(group, at, piece), stream.piece_words(), touch.transfer);
      }
    }
  }
}

StreamMemory& memory_of(Invocation& invocation, const SimulatedStream& stream, std::span<const Touch> touches) {
  std::vector<std::uint64_t> walk{stream.blocks,        stream.block_step, stream.group_step, stream.group_offset,
                                  stream.group_further, stream.scatter,    stream.groups,     stream.pieces()};
  for (const Touch& touch : touches) walk.push_back(touch.words.address());
  StreamMemory& memory = invocation.kernel.stream_memory;
  if (memory.walk != walk) memory = {.walk = walk};
  return memory;
}

void make_trips(Invocation& invocation, const SimulatedStream& stream, std::vector<Touch> touches) {
  StreamMemory& memory = memory_of(invocation, stream, touches);
  Memory& caches = invocation.memory;
  Traffic marked = caches.streamed();
  const auto count_window = [&] {
    add(memory.window, caches.streamed(), 1);
    add(memory.window, marked, -1);
    marked = caches.streamed();
  };
  for (std::uint32_t trip = 0; trip < stream.trips; ++trip) {
    if (memory.is_steady) {
      caches.add_streamed(memory.per_trip, stream.trips - trip);
      return;
    }
    make_trip(invocation, stream, touches, trip);
    if (++memory.trips % stream.window() != 0) continue;
    count_window();
    memory.is_steady = memory.trips > stream.settled_after() && alike(memory.window, memory.last_window);
    if (memory.is_steady) add(memory.per_trip, memory.window, 1.0 / stream.window());
    memory.last_window = std::exchange(memory.window, {});
  }
  count_window();
}

void chase_loaded(Invocation& invocation) {
  Memory& memory = invocation.memory;
  BufferWords next = invocation.buffer(0);
  BufferWords cursor = invocation.buffer(1);
  const Streams streams(invocation);
  double round_ns = 0;
  if (streams.groups > 0) {
    const std::size_t level = serving_level(memory, streams);
    const double share = std::min(1.0, streams.groups / static_cast<double>(memory.saturated_by()));
    const double bytes = blocks_per_round * streams.groups * streams.block_bytes();
    round_ns = bytes / (memory.levels()[level].read_gbps * share) + invocation.ns_of(streams.delay * cycles_per_wait);
    memory.load(level, bytes / round_ns);
  }
  const std::uint32_t at = next.follow(cursor.load(0), streams.trips * hops_per_trip, invocation.offset_shift());
  cursor.store(0, at);
  cursor.store(1, streams.trips);
  cursor.store(2, invocation.scalar(8));
  if (streams.groups == 0) return;
  const double walk_ns = memory.elapsed_ns(FabricState::loaded);
  const std::vector<std::uint32_t>& sums = sums_of(invocation, streams);
  std::uint32_t* const left = cursor.changed_contents(3, std::uint64_t{2} * streams.groups);
  for (std::uint32_t group = 0; group < streams.groups; ++group) {
    // The groups are at different points of their rounds when the walk begins.
    const double made = std::floor(walk_ns / round_ns + (group + 0.5) / streams.groups);
    const auto rounds = static_cast<std::uint32_t>(std::min<double>(made, streams.most_rounds));
    const std::size_t first = streams.is_shared() ? 0 : std::size_t{group} * (streams.blocks + 1);
    left[std::size_t{2} * group] = rounds;
    left[std::size_t{2} * group + 1] += sum_of(&sums[first], streams, group, blocks_per_round * rounds);
  }
}

}  // namespace sonde::device::model
