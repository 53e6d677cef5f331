#pragma once

#include <cstdint>
#include <memory>

#include "gpu/device.hpp"

namespace sonde::probes {

/// What the other work-groups read while one walks, so that memory and the way to it stay awake: a few GB/s. As much
/// memory as the walk's own: a cache then holds at least half of what it would hold of the walk alone, and a stream
/// beside a walk that misses a cache misses it as well.
struct LightStream {
  std::unique_ptr<gpu::Buffer> memory;
  std::uint32_t groups = 0;  ///< work-groups beside the walk's
  std::uint32_t rows = 0;    ///< of as many words as a group has items

  LightStream(gpu::Device& device, std::uint64_t walk_bytes, std::uint32_t group_size, std::uint64_t seed);
};

}  // namespace sonde::probes
