#include "workloads/arithmetic/roofline.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>

namespace sonde::workloads {
namespace {

/// Numbers between 1/2 and 1 with any mantissa, whose last bits say which one it is.
device::DifferentNumbers numbers_of(std::uint64_t seed) {
  std::mt19937_64 random(seed + 0x700F);
  device::DifferentNumbers numbers;
  constexpr std::uint32_t half = std::bit_cast<std::uint32_t>(0.5F);
  constexpr std::uint32_t mantissa = (1u << 23) - 1;
  for (std::uint32_t place = 0; place < device::different_numbers; ++place) {
    const std::uint32_t any = static_cast<std::uint32_t>(random()) & mantissa;
    numbers[place] = half | (any / device::different_numbers * device::different_numbers + place);
  }
  return numbers;
}

}  // namespace

RooflineProof::RooflineProof(const StreamWalk& walk, const device::RooflineRound& round, std::uint32_t rounds,
                             std::uint32_t extra, std::uint64_t seed)
    : walk_(walk), round_(round), rounds_(rounds), extra_(extra), noise_(seed), numbers_(numbers_of(seed)) {}

void RooflineProof::write(device::Buffer& buffer) const {
  constexpr std::uint64_t piece_words = 1 << 18;
  std::vector<std::uint32_t> piece;
  const std::uint64_t words = buffer.size_bytes() / sizeof(std::uint32_t);
  for (std::uint64_t first = 0; first < words; first += piece_words) {
    piece.resize(std::min(piece_words, words - first));
    for (std::uint64_t i = 0; i < piece.size(); ++i) piece[i] = word(first + i);
    buffer.write(first * sizeof(std::uint32_t), std::as_bytes(std::span(piece)));
  }
}

void RooflineProof::add_up() {
  const device::RooflinePairs usual(numbers_, round_, rounds_, rounding_);
  const device::RooflinePairs with_extra(numbers_, round_, rounds_ + 1, rounding_);
  const std::uint32_t row_words = walk_.shape.row_words();
  const std::uint64_t blocks = walk_.array_bytes() / (walk_.shape.block_words() * sizeof(std::uint32_t));
  for (auto& sums : blocks_) sums.assign(blocks, 0);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    for (std::uint32_t row = 0; row < walk_.shape.in_flight; row += 2) {
      const std::uint64_t first = walk_.row_at(block, row);
      const std::uint64_t second = walk_.row_at(block, row + 1);
      for (std::uint32_t i = 0; i < row_words; ++i) {
        const std::uint32_t x = word(first + i);
        const std::uint32_t y = word(second + i);
        blocks_[0][block] += usual.contribution(x, y);
        if (extra_ > 0) blocks_[1][block] += with_extra.contribution(x, y);
      }
    }
  }
}

std::optional<std::string> RooflineProof::mismatch(std::span<const std::uint32_t> sums_of_groups, std::uint64_t turn,
                                                   std::uint32_t trips) const {
  // After so many trips a group is at the same place with the same number of rounds.
  const std::uint32_t period = std::lcm(walk_.blocks, trips_of_a_dial);
  for (std::uint32_t group = 0; group < walk_.shape.groups; ++group) {
    std::uint32_t rest = 0;
    std::uint32_t all = 0;
    for (std::uint32_t trip = 0; trip < std::min(trips, period); ++trip) {
      const std::uint64_t block = walk_.block_at(group, walk_.position(group, turn + trip));
      all += blocks_[trip % trips_of_a_dial < extra_ ? 1 : 0][block];
      if (trip < trips % period) rest = all;
    }
    const std::uint32_t expected = trips / period * all + rest;
    if (sums_of_groups[group] != expected) {
      return "work-group " + std::to_string(group) + " of " + std::to_string(walk_.shape.groups) +
             " did not add up what the host finds by the same steps; please report the driver";
    }
  }
  return std::nullopt;
}

std::optional<std::string> RooflineProof::failure(std::span<const std::uint32_t> sums_of_groups, std::uint64_t turn,
                                                  std::uint32_t trips) {
  if (blocks_[0].empty()) add_up();
  auto wrong = mismatch(sums_of_groups, turn, trips);
  if (!wrong) return wrong;
  // A product may be rounded before it is added: then it is so on every trip.
  rounding_.fused = !rounding_.fused;
  add_up();
  if (!mismatch(sums_of_groups, turn, trips)) return std::nullopt;
  rounding_.fused = !rounding_.fused;
  add_up();
  return wrong;
}

}  // namespace sonde::workloads
