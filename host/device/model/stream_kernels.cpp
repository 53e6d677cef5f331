#include <algorithm>
#include <vector>

#include "device/model/kernels.hpp"

namespace sonde::device::model {
namespace {

constexpr std::uint64_t local_part_bytes = 16384;
/// The rate from the memory of a work-group to its compute unit: 32 banks of 4 bytes.
constexpr double local_bytes_per_cycle = 128;

/// Computes to += factor * words; the host's time goes here, so CMakeLists.txt has this file at -O3.
void add_row(std::uint32_t* __restrict to, const std::uint32_t* __restrict words, std::uint32_t count,
             std::uint32_t factor) {
  for (std::uint32_t i = 0; i < count; ++i) to[i] += factor * words[i];
}

struct MultiplyAdd {
  std::uint32_t factor;
  std::uint32_t addend;
};

void add_row_throttled(std::uint32_t* __restrict to, const std::uint32_t* __restrict left,
                       const std::uint32_t* __restrict right, std::uint32_t count, std::uint32_t salt,
                       MultiplyAdd then) {
  for (std::uint32_t i = 0; i < count; ++i) to[i] = (left[i] + right[i] + salt) * then.factor + then.addend;
}

std::uint32_t noise(std::uint32_t number) {
  const std::uint32_t mixed = (number + 1) * 0x85EBCA6Bu;
  return (mixed ^ (mixed >> 15)) * 0xC2B2AE35u;
}

/// Has `write` called, when somebody wants to read the words, for every group, trip and piece of a block that no later
/// trip writes again. make_trips() has reached them all before, if not in this launch.
template <typename Write>
void write_later(const SimulatedStream& stream, BufferWords target, const std::vector<BufferWords>& inputs,
                 Write write) {
  // A group's part of a position lies elsewhere, but where all groups are a position further the same words are meant.
  std::vector<std::uint64_t> place{stream.blocks,       stream.block_step,    stream.group_step,
                                   stream.group_offset, stream.group_further, stream.scatter,
                                   stream.groups,       stream.pieces(),      stream.block_words()};
  const std::uint32_t count = std::min(stream.trips, stream.blocks);
  const std::uint32_t begin =
      static_cast<std::uint32_t>((std::uint64_t{stream.start} + stream.trips - count) % stream.blocks);
  const std::uint64_t words = std::uint64_t{count} * stream.groups * stream.block_words() * (1 + inputs.size());
  target.write_later(inputs, std::move(place), begin, count, stream.blocks, words, [stream, write]() mutable {
    const std::uint32_t first = stream.trips - std::min(stream.trips, stream.blocks);
    for (std::uint32_t trip = first; trip < stream.trips; ++trip) {
      for (std::uint32_t group = 0; group < stream.groups; ++group) {
        for (std::uint32_t piece = 0; piece < stream.pieces(); ++piece) write(group, trip, piece);
      }
    }
  });
}

/// Computes C = A, shifted, + factor * B; without B where the factor is 0.
void combine(Invocation& invocation, std::uint32_t factor) {
  const SimulatedStream stream(invocation);
  const std::uint32_t shift = invocation.scalar(8);
  const std::uint32_t words = stream.piece_words();
  BufferWords a = invocation.buffer(0);
  const BufferWords b = invocation.buffer(factor == 0 ? 0 : 1);
  BufferWords c = invocation.buffer(factor == 0 ? 1 : 2);
  std::vector<Touch> touches{{a, Transfer::read, shift}};
  if (factor != 0) touches.push_back({b, Transfer::read});
  touches.push_back({c, Transfer::write});
  make_trips(invocation, stream, std::move(touches));
  write_later(stream, c, {a, b}, [=](std::uint32_t group, std::uint32_t trip, std::uint32_t piece) mutable {
    const std::uint32_t position = stream.position(group, trip);
    const auto from = static_cast<std::uint32_t>((std::uint64_t{position} + shift) % stream.blocks);
    const std::uint64_t at = stream.word_at(group, position, piece);
    std::uint32_t* const to = c.changed_contents(at, words);
    std::copy_n(a.contents(stream.word_at(group, from, piece), words), words, to);
    if (factor != 0) add_row(to, b.contents(at, words), words, factor);
  });
}

/// Adds up once the words of every item at each position, so that a dispatch need not.
void add_up(const SimulatedStream& stream, const BufferWords& a, StreamMemory& memory) {
  const std::uint32_t groups = stream.is_shared() ? 1 : stream.groups;
  const std::uint32_t items = stream.group_size;
  memory.sums.assign(std::size_t{groups} * (stream.blocks + 1) * items, 0);
  memory.sums_version = a.version();
  std::vector<std::uint32_t> row(stream.row_words());
  std::uint32_t* before = memory.sums.data();
  for (std::uint32_t group = 0; group < groups; ++group, before += items) {
    for (std::uint32_t position = 0; position < stream.blocks; ++position, before += items) {
      std::fill(row.begin(), row.end(), 0);
      for (std::uint32_t piece = 0; piece < stream.pieces(); ++piece) {
        const std::uint32_t* const words = a.contents(stream.word_at(group, position, piece), stream.piece_words());
        for (std::size_t first = 0; first < stream.piece_words(); first += row.size()) {
          add_row(row.data(), words + first, stream.row_words(), 1);
        }
      }
      for (std::uint32_t item = 0; item < items; ++item) {
        std::uint32_t sum = before[item];
        for (std::uint32_t word = 0; word < stream.vector_words; ++word) sum += row[item * stream.vector_words + word];
        before[items + item] = sum;
      }
    }
  }
}

/// Leaves every item's sum in buffer 1, from the sums that are remembered.
void leave_sums(Invocation& invocation, const SimulatedStream& stream) {
  const BufferWords a = invocation.buffer(0);
  BufferWords out = invocation.buffer(1);
  StreamMemory& memory = invocation.kernel.stream_memory;
  if (memory.sums.empty() || memory.sums_version != a.version()) add_up(stream, a, memory);
  const std::uint32_t laps = stream.trips / stream.blocks;
  const std::uint32_t items = stream.group_size;
  for (std::uint32_t group = 0; group < stream.groups; ++group) {
    const std::uint32_t* const before =
        &memory.sums[stream.is_shared() ? 0 : std::size_t{group} * (stream.blocks + 1) * items];
    const std::uint32_t first = stream.position(group, 0);
    const std::uint32_t end = first + stream.trips % stream.blocks;
    invocation.memory.enter(group);
    out.stream(std::uint64_t{group} * items, items, Transfer::write);
    std::uint32_t* const to = out.changed_contents(std::uint64_t{group} * items, items);
    for (std::uint32_t item = 0; item < items; ++item)
      to[item] = laps * before[stream.blocks * std::size_t{items} + item];
    const auto add_run = [&](std::uint64_t begin_block, std::uint64_t end_block) {
      add_row(to, before + end_block * items, items, 1);
      add_row(to, before + begin_block * items, items, ~0u);
    };
    stream.for_each_run(group, first, end, add_run);
  }
}

}  // namespace

void stream_read(Invocation& invocation) {
  const SimulatedStream stream(invocation);
  make_trips(invocation, stream, {{invocation.buffer(0), Transfer::read}});
  leave_sums(invocation, stream);
}

void stream_local(Invocation& invocation) {
  const SimulatedStream stream(invocation);
  const std::uint64_t part_bytes = std::uint64_t{stream.blocks} * stream.block_words() * 4;
  if (part_bytes > local_part_bytes)
    throw Error("a group's part of " + std::to_string(part_bytes) + " bytes is more than its memory");
  std::vector<Touch> touches{{invocation.buffer(0), Transfer::read}};
  (void)memory_of(invocation, stream, touches);
  for (std::uint32_t block = 0; block < stream.blocks; ++block) make_trip(invocation, stream, touches, block);
  leave_sums(invocation, stream);
  // The groups of one compute unit share its memory's rate.
  const std::uint32_t units = invocation.memory.compute_units();
  const std::uint32_t in_turn = (stream.groups + units - 1) / units;
  invocation.cycles += static_cast<double>(in_turn) * stream.trips * stream.block_words() * 4 / local_bytes_per_cycle;
}

void stream_write(Invocation& invocation) {
  constexpr std::uint32_t growth = 0x9E3779B9u;
  const SimulatedStream stream(invocation);
  const std::uint32_t turn = invocation.scalar(8);
  BufferWords c = invocation.buffer(0);
  make_trips(invocation, stream, {{c, Transfer::write}});
  const std::uint32_t rows = stream.in_flight / stream.pieces();
  write_later(stream, c, {}, [=](std::uint32_t group, std::uint32_t trip, std::uint32_t piece) mutable {
    const std::uint64_t at = stream.word_at(group, stream.position(group, trip), piece);
    std::uint32_t* const to = c.changed_contents(at, stream.piece_words());
    for (std::uint32_t row = 0; row < rows; ++row) {
      const std::uint32_t k = piece * rows + row;
      for (std::uint32_t item = 0; item < stream.group_size; ++item) {
        const std::uint32_t number = ((group * stream.group_size + item) * stream.in_flight + k) * stream.vector_words;
        for (std::uint32_t word = 0; word < stream.vector_words; ++word) {
          to[row * stream.row_words() + item * stream.vector_words + word] =
              noise(number + word) + (turn + trip) * growth;
        }
      }
    }
  });
}

void stream_copy(Invocation& invocation) { combine(invocation, 0); }
void stream_add(Invocation& invocation) { combine(invocation, 1); }
void stream_triad(Invocation& invocation) { combine(invocation, invocation.scalar(9)); }

void stream_add_dialled(Invocation& invocation) {
  const SimulatedStream stream(invocation);
  const std::uint32_t salt = invocation.scalar(8);
  const std::uint32_t rounds = invocation.scalar(9);
  const std::uint32_t extra = invocation.scalar(10);
  const auto has_extra = [extra](std::uint32_t trip) { return trip * extra % 64 < extra; };
  constexpr std::uint32_t steps_in_a_round = 4;
  // All steps of a trip together are one affine function.
  const auto after = [&](std::uint32_t count, MultiplyAdd all) {
    for (std::uint32_t step = 0; step < count * steps_in_a_round; ++step) {
      all.addend = all.addend * invocation.scalar(11) + invocation.scalar(12);
      all.factor *= invocation.scalar(11);
    }
    return all;
  };
  const MultiplyAdd usual = after(rounds, {1, 0});
  const MultiplyAdd with_extra = after(1, usual);
  BufferWords a = invocation.buffer(0);
  BufferWords b = invocation.buffer(1);
  BufferWords c = invocation.buffer(2);
  make_trips(invocation, stream, {{a, Transfer::read}, {b, Transfer::read}, {c, Transfer::write}});
  write_later(stream, c, {a, b}, [=](std::uint32_t group, std::uint32_t trip, std::uint32_t piece) mutable {
    const std::uint64_t at = stream.word_at(group, stream.position(group, trip), piece);
    const std::uint32_t words = stream.piece_words();
    const std::uint32_t* const left = a.contents(at, words);
    const std::uint32_t* const right = b.contents(at, words);
    add_row_throttled(c.changed_contents(at, words), left, right, words, salt, has_extra(trip) ? with_extra : usual);
  });
  // Items compute side by side; nothing that is in flight waits.
  std::uint64_t all_rounds = std::uint64_t{stream.trips} * rounds;
  for (std::uint32_t trip = 0; trip < stream.trips; ++trip) all_rounds += has_extra(trip) ? 1 : 0;
  invocation.cycles += static_cast<double>(all_rounds * steps_in_a_round) * stream.in_flight * stream.vector_words;
}

}  // namespace sonde::device::model
