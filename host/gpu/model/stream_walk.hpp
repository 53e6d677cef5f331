#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/error.hpp"
#include "gpu/model/kernels.hpp"

namespace sonde::gpu::model {

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

  explicit StreamWalk(const Invocation& invocation)
      : trips(invocation.scalar(0)),
        start(invocation.scalar(1)),
        blocks(invocation.scalar(2)),
        block_step(invocation.scalar(3)),
        group_step(invocation.scalar(4)),
        group_offset(invocation.scalar(5)),
        group_further(invocation.scalar(6)) {
    if (blocks == 0) throw Error("a stream over no blocks");
  }

  [[nodiscard]] std::uint32_t position(std::uint32_t group, std::uint32_t trip) const {
    const std::uint64_t first = std::uint64_t{group} * group_offset + std::min(group, group_further);
    return static_cast<std::uint32_t>((start + first + trip) % blocks);
  }
  /// Whether all groups walk over the same.
  [[nodiscard]] bool is_shared() const { return group_step == 0; }
};

}  // namespace sonde::gpu::model
