#include "gpu/model/stream_kernels.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "gpu/error.hpp"

namespace sonde::gpu::model {
namespace {

/// The walk that all of them share.
struct Stream {
  std::uint32_t trips;
  std::uint32_t start;
  std::uint32_t blocks;
  std::uint32_t block_step;
  std::uint32_t group_step;
  std::uint32_t group_offset;
  std::uint32_t in_flight;
  std::uint32_t vector_words;
  std::uint32_t group_size;
  std::uint32_t groups;

  explicit Stream(const Invocation& invocation)
      : trips(invocation.scalar(0)),
        start(invocation.scalar(1)),
        blocks(invocation.scalar(2)),
        block_step(invocation.scalar(3)),
        group_step(invocation.scalar(4)),
        group_offset(invocation.scalar(5)),
        in_flight(invocation.constant("IN_FLIGHT")),
        vector_words(invocation.constant("VECTOR_WORDS")),
        group_size(invocation.shape().group_size),
        groups(invocation.shape().groups) {
    if (blocks == 0) throw Error("a stream over no blocks");
  }

  [[nodiscard]] std::uint32_t row_words() const { return group_size * vector_words; }
  [[nodiscard]] std::uint32_t block_words() const { return row_words() * in_flight; }
  [[nodiscard]] std::uint32_t position(std::uint32_t group, std::uint32_t trip) const {
    return static_cast<std::uint32_t>((std::uint64_t{start + group * group_offset} + trip) % blocks);
  }
  [[nodiscard]] std::uint64_t word_at(std::uint32_t group, std::uint32_t position) const {
    return std::uint64_t{group * group_step + position * block_step} * block_words();
  }
  /// What is written on an earlier trip is written again, unless others write there too.
  [[nodiscard]] bool stays_written(std::uint32_t trip) const { return trips - trip <= blocks; }
};

/// All groups side by side, trip by trip, as compute units would make them.
template <typename Trip>
void walk(Invocation& invocation, const Stream& stream, Trip make_trip) {
  for (std::uint32_t trip = 0; trip < stream.trips; ++trip) {
    for (std::uint32_t group = 0; group < stream.groups; ++group) {
      invocation.enter_group(group);
      make_trip(group, trip);
    }
  }
}

/// sums += factor * words; the host's time goes here.
__attribute__((optimize("O3"))) void add_row(std::uint32_t* __restrict sums, const std::uint32_t* __restrict words,
                                             std::uint32_t count, std::uint32_t factor) {
  for (std::uint32_t i = 0; i < count; ++i) sums[i] += factor * words[i];
}

std::uint32_t noise(std::uint32_t number) {
  const std::uint32_t mixed = (number + 1) * 0x85EBCA6Bu;
  return (mixed ^ (mixed >> 15)) * 0xC2B2AE35u;
}

/// C = A, shifted, + factor * B; without B where the factor is 0.
void combine(Invocation& invocation, std::uint32_t factor) {
  const Stream stream(invocation);
  const std::uint32_t shift = invocation.scalar(6);
  const std::uint32_t words = stream.block_words();
  Invocation::Words a = invocation.buffer(0);
  Invocation::Words b = invocation.buffer(factor == 0 ? 0 : 1);
  Invocation::Words c = invocation.buffer(factor == 0 ? 1 : 2);
  walk(invocation, stream, [&](std::uint32_t group, std::uint32_t trip) {
    const std::uint32_t position = stream.position(group, trip);
    const auto from = static_cast<std::uint32_t>((std::uint64_t{position} + shift) % stream.blocks);
    const std::uint32_t* const first = a.stream(stream.word_at(group, from), words, Transfer::read);
    const std::uint64_t at = stream.word_at(group, position);
    const std::uint32_t* const second = factor == 0 ? nullptr : b.stream(at, words, Transfer::read);
    std::uint32_t* const to = c.stream(at, words, Transfer::write);
    if (!stream.stays_written(trip)) return;
    std::copy_n(first, words, to);
    if (second != nullptr) add_row(to, second, words, factor);
  });
}

}  // namespace

void stream_read(Invocation& invocation) {
  const Stream stream(invocation);
  Invocation::Words a = invocation.buffer(0);
  const std::uint32_t row = stream.row_words();
  std::vector<std::uint32_t> sums(std::size_t{row} * stream.groups);
  walk(invocation, stream, [&](std::uint32_t group, std::uint32_t trip) {
    const std::uint64_t at = stream.word_at(group, stream.position(group, trip));
    const std::uint32_t* const words = a.stream(at, stream.block_words(), Transfer::read);
    // A block that comes again in every whole pass is added once for all of them.
    if (trip >= stream.blocks) return;
    const std::uint32_t times = (stream.trips - trip + stream.blocks - 1) / stream.blocks;
    for (std::uint32_t k = 0; k < stream.in_flight; ++k) {
      add_row(&sums[std::size_t{row} * group], words + std::size_t{row} * k, row, times);
    }
  });
  Invocation::Words out = invocation.buffer(1);
  for (std::uint32_t group = 0; group < stream.groups; ++group) {
    invocation.enter_group(group);
    const std::size_t first = std::size_t{group} * stream.group_size;
    std::uint32_t* const to = out.stream(first, stream.group_size, Transfer::write);
    for (std::uint32_t item = 0; item < stream.group_size; ++item) {
      const auto from = sums.begin() + static_cast<std::ptrdiff_t>((first + item) * stream.vector_words);
      to[item] = std::accumulate(from, from + stream.vector_words, 0u);
    }
  }
}

void stream_write(Invocation& invocation) {
  constexpr std::uint32_t growth = 0x9E3779B9u;
  const Stream stream(invocation);
  const std::uint32_t turn = invocation.scalar(6);
  Invocation::Words c = invocation.buffer(0);
  walk(invocation, stream, [&](std::uint32_t group, std::uint32_t trip) {
    const std::uint64_t at = stream.word_at(group, stream.position(group, trip));
    std::uint32_t* const to = c.stream(at, stream.block_words(), Transfer::write);
    if (!stream.stays_written(trip)) return;
    for (std::uint32_t k = 0; k < stream.in_flight; ++k) {
      for (std::uint32_t item = 0; item < stream.group_size; ++item) {
        const std::uint32_t number = ((group * stream.group_size + item) * stream.in_flight + k) * stream.vector_words;
        for (std::uint32_t word = 0; word < stream.vector_words; ++word) {
          to[k * stream.row_words() + item * stream.vector_words + word] = noise(number + word) + (turn + trip) * growth;
        }
      }
    }
  });
}

void stream_copy(Invocation& invocation) { combine(invocation, 0); }
void stream_add(Invocation& invocation) { combine(invocation, 1); }
void stream_triad(Invocation& invocation) { combine(invocation, invocation.scalar(7)); }

}  // namespace sonde::gpu::model
