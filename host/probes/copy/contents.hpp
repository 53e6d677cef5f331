#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "device/copy_engines.hpp"
#include "workloads/stream/noise.hpp"

namespace sonde::probes {

/// What is proved at once, and by what copies begin elsewhere from one time to the next: a page.
inline constexpr std::uint64_t proof_block_bytes = 4096;

/// Words that nothing can compress, with the sum of each block.
class BlockSums {
 public:
  explicit BlockSums(std::uint64_t seed) : noise(seed) {}
  workloads::Noise noise;
  std::vector<std::uint32_t> sums;  ///< modulo 2^32
};

/// Adds up every block of a device buffer, on the device.
class DeviceProof {
 public:
  /// For buffers of so many blocks that were made for this use.
  DeviceProof(device::Device& device, std::uint64_t blocks, device::Use use);

  /// Why `buffer` does not hold the words of `source` from `first_block` on; empty when it does. All of it is
  /// added up on the device, and pages at random are looked at word for word.
  std::optional<std::string> flaw(device::Buffer& buffer, const BlockSums& source, std::uint64_t first_block);

 private:
  device::Device& device_;
  std::uint64_t blocks_;
  std::uint32_t group_size_ = 1;
  std::uint32_t groups_ = 1;
  std::uint32_t stripes_ = 1;  ///< rows of an item's vectors in a block
  std::unique_ptr<device::Kernel> reader_;
  std::unique_ptr<device::Buffer> sums_;
  std::mt19937_64 random_;
};

/// The same of host memory, block by block.
std::optional<std::string> flaw_of_host(std::span<const std::byte> bytes, const BlockSums& source,
                                        std::uint64_t first_block);

/// Fills host memory, whole blocks.
void write_noise(std::span<std::byte> bytes, BlockSums& source);

}  // namespace sonde::probes
