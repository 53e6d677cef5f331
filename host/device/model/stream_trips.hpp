#pragma once

#include <cstdint>
#include <span>

#include "device/model/kernels.hpp"
#include "device/model/stream_walk.hpp"

namespace sonde::device::model {

/// The walk of a streaming kernel with the blocks that its groups move.
struct Stream : StreamWalk {
  std::uint32_t in_flight;
  std::uint32_t vector_words;
  std::uint32_t group_size;
  std::uint32_t groups;
  bool spread;

  explicit Stream(const Invocation& invocation)
      : StreamWalk(invocation),
        in_flight(invocation.constant("IN_FLIGHT")),
        vector_words(invocation.constant("VECTOR_WORDS")),
        group_size(invocation.shape().group_size),
        groups(invocation.shape().groups),
        spread(invocation.constant("SPREAD") != 0) {}

  [[nodiscard]] std::uint32_t row_words() const { return group_size * vector_words; }
  [[nodiscard]] std::uint32_t block_words() const { return row_words() * in_flight; }
  /// What of a block lies in one piece, and in how many it lies.
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

/// What one trip of all groups costs.
void make_trip(Invocation& invocation, const Stream& stream, std::span<Touch> touches, std::uint32_t trip);

/// All trips of a dispatch, all groups side by side, through the caches; once one window is like the one before, the
/// rest follows from it, whether in this dispatch or in the next.
void make_trips(Invocation& invocation, const Stream& stream, std::span<Touch> touches);

/// Within what the chance of a random replacement leaves of a difference.
bool alike(const Traffic& one, const Traffic& other);

/// What is remembered of launches like this one.
StreamMemory& memory_of(Invocation& invocation, const Stream& stream, std::span<const Touch> touches);

}  // namespace sonde::device::model
