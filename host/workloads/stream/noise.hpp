#pragma once

#include <cstdint>
#include <vector>

#include "device/device.hpp"

namespace sonde::workloads {

/// 32-bit words that nothing can compress, each computed from its place alone (splitmix64, Steele, Lea and Flood,
/// 2014), so that no copy of memory is needed to know what must be where.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : seed_(seed) {}

  std::uint32_t operator()(std::uint64_t word) const {
    return static_cast<std::uint32_t>(pair(word / 2) >> (word % 2 * 32));
  }
  /// The pair has word 2 * index in its lower half and word 2 * index + 1 in its upper.
  std::uint64_t pair(std::uint64_t index) const {
    std::uint64_t z = seed_ + (index + 1) * 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t seed_;
};

/// Fills the buffer, which is a whole number of blocks, and returns the sum of each block's words. A block has an even
/// number of words.
std::vector<std::uint32_t> write_noise(device::Buffer& buffer, const Noise& noise, std::uint32_t block_words);

}  // namespace sonde::workloads
