#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "device/error.hpp"
#include "device/model/kernels.hpp"

namespace sonde::device::model {

/// The walk that all streaming kernels share, as their first scalars have it; kernels/stream.h explains it. Throws
/// Error where it goes over no blocks.
struct StreamWalk {
  std::uint32_t trips;
  std::uint32_t start;
  std::uint32_t blocks;
  std::uint32_t block_step;
  std::uint32_t group_step;
  std::uint32_t group_offset;
  std::uint32_t group_further;
  std::uint32_t scatter;

  explicit StreamWalk(const Invocation& invocation)
      : trips(invocation.scalar(0)),
        start(invocation.scalar(1)),
        blocks(invocation.scalar(2)),
        block_step(invocation.scalar(3)),
        group_step(invocation.scalar(4)),
        group_offset(invocation.scalar(5)),
        group_further(invocation.scalar(6)),
        scatter(invocation.scalar(7)) {
    if (blocks == 0) throw Error("a stream over no blocks");
    if (!std::has_single_bit(scatter + 1) || blocks % (scatter + 1) != 0)
      throw Error("a stream whose blocks cannot be scattered so");
  }

  [[nodiscard]] std::uint32_t position(std::uint32_t group, std::uint32_t trip) const {
    const std::uint64_t first = std::uint64_t{group} * group_offset + std::min(group, group_further);
    return static_cast<std::uint32_t>((start + first + trip) % blocks);
  }
  /// Of the block at a position, among those of its group.
  [[nodiscard]] std::uint32_t scattered(std::uint32_t group, std::uint32_t position) const {
    return (position & ~scatter) | ((position * (group * 0x9E3779B2u + 1)) & scatter);
  }
  /// Calls with the first block of each run that the positions from `begin` to before `end`, at most a lap, fall into,
  /// and with the block behind it.
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

}  // namespace sonde::device::model
