#include "probes/light_stream.hpp"

#include <algorithm>

#include "probes/walk.hpp"

namespace sonde::probes {
namespace {

constexpr std::uint32_t most_groups = 4;
constexpr std::uint64_t least_bytes = 64 << 10;
/// Beyond every cache known: more would only take memory from the walk.
constexpr std::uint64_t most_bytes = 512 << 20;

}  // namespace

LightStream::LightStream(gpu::Device& device, std::uint64_t walk_bytes, std::uint32_t group_size, std::uint64_t seed) {
  // Each on a compute unit of its own, where there are so many; a single one runs several groups side by side.
  groups = std::clamp(device.info().compute_units, 2u, most_groups + 1) - 1;
  const std::uint64_t row_bytes = std::uint64_t{group_size} * sizeof(std::uint32_t);
  rows = static_cast<std::uint32_t>(std::clamp(walk_bytes, least_bytes, most_bytes) / row_bytes);
  memory = device.make_buffer(rows * row_bytes);
  write_words(*memory, rows, static_cast<std::uint32_t>(row_bytes), ~seed);
}

}  // namespace sonde::probes
