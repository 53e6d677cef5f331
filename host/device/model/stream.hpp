#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "device/error.hpp"
#include "device/model/kernels.hpp"

namespace sonde::device::model {

/// The walk that all streaming kernels share, as their first scalars have it; kernels/stream.h explains it. Throws
/// Error where it goes over no blocks.
struct SimulatedWalk {
  const Invocation& launched;
  std::uint32_t trips = launched.scalar(0);
  std::uint32_t start = launched.scalar(1);
  std::uint32_t blocks = launched.scalar(2);
  std::uint32_t block_step = launched.scalar(3);
  std::uint32_t group_step = launched.scalar(4);
  std::uint32_t group_offset = launched.scalar(5);
  std::uint32_t group_further = launched.scalar(6);
  std::uint32_t scatter = launched.scalar(7);

  explicit SimulatedWalk(const Invocation& invocation) : launched(invocation) {
    if (blocks == 0) throw Error("a stream over no blocks");
    if (!std::has_single_bit(scatter + 1) || blocks % (scatter + 1) != 0)
      throw Error("a stream whose blocks cannot be scattered so");
  }

  [[nodiscard]] std::uint32_t position(std::uint32_t group, std::uint32_t trip) const {
    const std::uint64_t first = std::uint64_t{group} * group_offset + std::min(group, group_further);
    return static_cast<std::uint32_t>((start + first + trip) % blocks);
  }
  /// The block at a position, among those of its group.
  [[nodiscard]] std::uint32_t scattered(std::uint32_t group, std::uint32_t position) const {
    return (position & ~scatter) | ((position * (group * 0x9E3779B2u + 1)) & scatter);
  }
  /// Calls `run` with the first block of each run that the positions from `begin` to before `end`, at most a lap, fall
  /// into, and with the block behind it.
  template <typename Run>
  void for_each_run(std::uint32_t group, std::uint64_t begin, std::uint64_t end, Run run) const {
    if (scatter == 0) {
      run(begin, std::min<std::uint64_t>(end, blocks));
      if (end > blocks) run(std::uint64_t{0}, end - blocks);
      return;
    }
    for (std::uint64_t at = begin; at < end; ++at) {
      const std::uint64_t block = scattered(group, static_cast<std::uint32_t>(at % blocks));
      run(block, block + 1);
    }
  }
  /// Whether all groups walk over the same.
  [[nodiscard]] bool is_shared() const { return group_step == 0; }
};

/// The walk of a streaming kernel with the blocks that its groups move.
struct SimulatedStream : SimulatedWalk {
  using SimulatedWalk::SimulatedWalk;

  std::uint32_t in_flight = launched.constant("IN_FLIGHT");
  std::uint32_t vector_words = launched.constant("VECTOR_WORDS");
  std::uint32_t group_size = launched.shape().group_size;
  std::uint32_t groups = launched.shape().groups;
  bool spread = launched.constant("SPREAD") != 0;

  [[nodiscard]] std::uint32_t row_words() const { return group_size * vector_words; }
  [[nodiscard]] std::uint32_t block_words() const { return row_words() * in_flight; }
  /// The number of pieces in which a block lies, and the words of each.
  [[nodiscard]] std::uint32_t pieces() const { return spread ? in_flight : 1; }
  [[nodiscard]] std::uint32_t piece_words() const { return spread ? row_words() : block_words(); }
  [[nodiscard]] std::uint64_t word_at(std::uint32_t group, std::uint32_t position, std::uint32_t piece) const {
    const std::uint32_t block = scattered(group, position);
    if (!spread) return std::uint64_t{group * group_step + block * block_step} * block_words();
    return std::uint64_t{group * group_step * in_flight + block + piece * blocks} * row_words();
  }
  /// The block at a position, counted through those of all groups; and the first word of one of its rows.
  [[nodiscard]] std::uint64_t block_at(std::uint32_t group, std::uint32_t position) const {
    return std::uint64_t{is_shared() ? 0 : group} * blocks + scattered(group, position);
  }
  [[nodiscard]] std::uint64_t row_at(std::uint64_t block, std::uint32_t row) const {
    const auto part = static_cast<std::uint32_t>(block / blocks);
    const auto position = static_cast<std::uint32_t>(block % blocks);  // the first of those that share keeps the order
    if (spread) return word_at(part, position, row);
    return word_at(part, position, 0) + std::uint64_t{row} * row_words();
  }
  /// Trips after which all groups together have touched everything.
  [[nodiscard]] std::uint32_t window() const { return is_shared() ? (blocks + groups - 1) / groups : blocks; }
  /// Trips after which the caches of single compute units, too, hold what they will.
  [[nodiscard]] std::uint64_t settled_after() const {
    constexpr std::uint64_t far_beyond_such_caches = 1 << 20;
    return is_shared() ? std::min<std::uint64_t>(blocks, far_beyond_such_caches / (std::uint64_t{block_words()} * 4))
                       : 0;
  }
};

/// One buffer's part in each trip.
struct Touch {
  Invocation::Words words;
  Transfer transfer;
  std::uint32_t shift = 0;
};

/// One trip of all groups through the caches.
void make_trip(Invocation& invocation, const SimulatedStream& stream, std::span<Touch> touches, std::uint32_t trip);

/// All trips of a dispatch, all groups side by side, through the caches; once one window is like the one before, the
/// rest follows from it, whether in this dispatch or in the next.
void make_trips(Invocation& invocation, const SimulatedStream& stream, std::span<Touch> touches);

/// Whether two traffics differ by no more than chance in random replacement leaves.
bool alike(const Traffic& one, const Traffic& other);

/// The memory of launches like this one.
StreamMemory& memory_of(Invocation& invocation, const SimulatedStream& stream, std::span<const Touch> touches);

}  // namespace sonde::device::model
