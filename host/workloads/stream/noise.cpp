#include "workloads/stream/noise.hpp"

#include <algorithm>
#include <span>

namespace sonde::workloads {

std::vector<std::uint32_t> write_noise(device::Buffer& buffer, const Noise& noise, std::uint32_t block_words) {
  constexpr std::uint64_t piece_pairs = 1 << 18;
  const std::uint64_t pairs_per_block = block_words / 2;
  const std::uint64_t blocks = buffer.size_bytes() / sizeof(std::uint64_t) / pairs_per_block;
  const std::uint64_t blocks_per_piece = std::clamp<std::uint64_t>(piece_pairs / pairs_per_block, 1, blocks);
  std::vector<std::uint64_t> piece(blocks_per_piece * pairs_per_block);
  std::vector<std::uint32_t> sums;
  sums.reserve(blocks);
  for (std::uint64_t first = 0; first < blocks; first += blocks_per_piece) {
    const std::uint64_t count = std::min(blocks_per_piece, blocks - first);
    for (std::uint64_t block = 0; block < count; ++block) {
      std::uint64_t sum = 0;  // modulo 2^32 the sum of the lower words alone, as upper words only add to its upper half
      std::uint64_t upper = 0;
      for (std::uint64_t i = block * pairs_per_block; i < (block + 1) * pairs_per_block; ++i) {
        piece[i] = noise.pair(first * pairs_per_block + i);
        sum += piece[i];
        upper += piece[i] >> 32;
      }
      sums.push_back(static_cast<std::uint32_t>(sum + upper));
    }
    const auto bytes = std::as_bytes(std::span(piece)).first(count * pairs_per_block * sizeof(std::uint64_t));
    buffer.write(first * pairs_per_block * sizeof(std::uint64_t), bytes);
  }
  return sums;
}

}  // namespace sonde::workloads
