#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "workloads/stream/noise.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::workloads {

/// Sums of an array's words over any stretch of any group's walk; an array is never kept on the host.
class StretchSums {
 public:
  /// `pieces`: the sum of the words of each piece of a block, in the array's order.
  StretchSums(const StreamWalk& walk, const std::vector<std::uint32_t>& pieces);

  /// The sum, modulo 2^32, of `trips` blocks from a position on, around the end as often as needed.
  std::uint32_t sum(std::uint32_t group, std::uint32_t position, std::uint64_t trips) const;

 private:
  std::uint32_t blocks_;
  std::uint32_t scatter_;
  bool shared_;
  std::vector<std::uint32_t> before_;  ///< for each group, sums of what lies before each position, then of all
};

/// One dispatch of a pattern that writes.
struct Written {
  std::uint64_t first_turn = 0;
  std::uint64_t trips = 0;
  std::uint32_t shift = 0;
};

/// Which dispatch wrote what stands at a position last, as far back as anything of it is left.
class WriteHistory {
 public:
  explicit WriteHistory(const StreamWalk& walk) : walk_(walk) {}
  void add(const Written& dispatch);
  std::uint64_t turns() const { return turns_; }
  const std::deque<Written>& dispatches() const { return dispatches_; }
  /// The trip on which a group was at the position last. It must have been there.
  std::uint64_t last_turn(std::uint32_t group, std::uint32_t position) const;
  const Written& dispatch_of(std::uint64_t turn) const;

 private:
  const StreamWalk& walk_;
  std::uint64_t turns_ = 0;
  std::deque<Written> dispatches_;
};

/// The noise that kernels/stream_write.cl leaves in a word of a group's block, and how it grows with every trip.
std::uint32_t written_noise(const StreamShape& shape, std::uint32_t group, std::uint32_t word);
inline constexpr std::uint32_t written_growth = 0x9E3779B9u;

}  // namespace sonde::workloads
