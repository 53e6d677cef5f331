#include "workloads/stream/background_stream.hpp"

#include <algorithm>
#include <numeric>

#include "workloads/stream/noise.hpp"

namespace sonde::workloads {
namespace {

constexpr std::uint32_t most_light_groups = 4;
constexpr std::uint64_t least_light_bytes = 64 << 10;
/// This delay is about a microsecond between two rounds.
constexpr std::uint32_t light_delay = 16;
/// This is beyond every cache known: more would only take memory from the walk.
constexpr std::uint64_t most_light_bytes = 512 << 20;

StretchSums filled(device::Buffer& memory, const StreamWalk& walk, std::uint64_t seed) {
  return {walk, write_noise(memory, Noise(seed), walk.shape.piece_words())};
}

}  // namespace

BackgroundLoad light_background_load(const device::DeviceInfo& device, std::uint64_t walk_bytes,
                                     std::uint32_t group_size) {
  // Each group has a compute unit of its own, where there are so many; a single unit runs several groups side by side.
  const std::uint32_t groups = std::clamp(device.compute_units, 2u, most_light_groups + 1) - 1;
  const std::uint64_t bytes = std::clamp(walk_bytes, least_light_bytes, most_light_bytes);
  const StreamShape shape{.group_size = group_size, .groups = groups, .vector_words = 4, .in_flight = 1};
  return {.shape = fitted(shape, Sharing::separate, bytes), .bytes = bytes, .delay = light_delay};
}

BackgroundStream::BackgroundStream(device::Device& device, const BackgroundLoad& load, device::Use use,
                                   std::uint64_t seed)
    : absent_(load.absent),
      delay_(load.delay),
      most_trips_(device.info().most_trips),
      walk_(load.shape, load.sharing, load.bytes),
      memory_(device.make_buffer(walk_.array_bytes(), use)),
      sums_(filled(*memory_, walk_, seed)),
      sums_before_(walk_.shape.groups) {}

std::uint32_t BackgroundStream::most_rounds() const { return std::max(1u, most_trips_ / (1 + delay_)); }

std::vector<std::uint32_t> BackgroundStream::scalars(std::uint32_t trips, std::uint32_t launch) {
  start_ = next_start_;
  std::vector<std::uint32_t> all = walk_.scalars(trips, start_);
  // The groups go on where the one that came furthest stopped, as far as is known.
  all.insert(all.end(), {launch, most_rounds(), delay_, 1, 0});
  return all;
}

std::optional<std::string> BackgroundStream::proof_failure(std::span<const std::uint32_t> cursor) {
  bytes_ = 0;
  longest_ = 0;
  for (std::uint32_t group = 0; group < groups(); ++group) {
    const std::uint32_t rounds = cursor[words_of_walk + std::size_t{2} * group];
    const std::uint32_t sum = cursor[words_of_walk + std::size_t{2} * group + 1];
    const std::uint32_t read = sum - sums_before_[group];
    sums_before_[group] = sum;
    if (rounds > most_rounds() ||
        read != sums_.sum(group, walk_.position(group, start_), std::uint64_t{blocks_per_round} * rounds)) {
      return "work-group " + std::to_string(group + 1) + " beside the walk did not read what it claims in " +
             std::to_string(rounds) + " rounds; please report the driver";
    }
    bytes_ += std::uint64_t{rounds} * blocks_per_round * walk_.shape.block_words() * sizeof(std::uint32_t);
    longest_ = std::max(longest_, rounds);
  }
  next_start_ = start_ + std::uint64_t{blocks_per_round} * longest_;
  return std::nullopt;
}

}  // namespace sonde::workloads
