#include "device/model/stream.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace sonde::device::model {

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
    invocation.enter_group(group);
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
  StreamMemory& memory = invocation.stream_memory();
  if (memory.walk != walk) memory = {.walk = walk};
  return memory;
}

void make_trips(Invocation& invocation, const SimulatedStream& stream, std::span<Touch> touches) {
  StreamMemory& memory = memory_of(invocation, stream, touches);
  Memory& caches = invocation.memory();
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
    ++memory.trips;
    if (++memory.trips_in_window < stream.window()) continue;
    count_window();
    memory.is_steady = memory.trips > stream.settled_after() && alike(memory.window, memory.last_window);
    if (memory.is_steady) add(memory.per_trip, memory.window, 1.0 / stream.window());
    memory.last_window = std::exchange(memory.window, {});
    memory.trips_in_window = 0;
  }
  count_window();
}

}  // namespace sonde::device::model
