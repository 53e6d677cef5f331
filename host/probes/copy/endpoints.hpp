#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "device/copy_engines.hpp"
#include "device/error.hpp"
#include "measure/repetitions.hpp"
#include "probes/copy/curves.hpp"
#include "workloads/stream/memory_kinds.hpp"

// The memory at both ends of copies with its proof, and what all ways to copy repeat alike.
namespace sonde::probes::copy_probe {

/// A page: what is proved at once, and how far apart the rows of two repetitions begin.
inline constexpr std::uint64_t proof_block_bytes = 4096;

/// Words that nothing can compress, with the sum of each block.
struct BlockSums {
  explicit BlockSums(std::uint64_t seed) : noise(seed) {}
  workloads::Noise noise;
  std::vector<std::uint32_t> sums = {};  ///< modulo 2^32
};

/// Adds up every block of a device buffer, on the device.
class DeviceProof {
 public:
  /// The buffers have so many blocks and were made for this use.
  DeviceProof(device::Device& device, std::uint64_t blocks, device::Use use);

  /// Why `buffer` does not hold the words of `source` from `first_block` on; empty when it does. All of it is
  /// added up on the device, and pages at random are looked at word for word.
  std::optional<std::string> failure(device::Buffer& buffer, const BlockSums& source, std::uint64_t first_block);

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

/// Makes host memory of so many bytes, of whatever kind the copies are to be measured with.
using MakeHost = std::function<std::unique_ptr<device::HostMemory>(std::uint64_t size_bytes)>;

/// Makes memory of the device, where a way to copy wants another than the ordinary kind.
using MakeBuffer = std::function<std::unique_ptr<device::Buffer>(std::uint64_t size_bytes, device::Use use)>;

/// A row of copies, one after the other, with a place of its own for each.
struct Row {
  std::uint64_t bytes = 0;  ///< of a copy: whole pages
  std::uint32_t copies = 1;
  /// Whole pages by which every other row begins further into the source.
  std::uint64_t step_bytes = proof_block_bytes;
};

/// Memory at both ends of the copies that one queue makes, and what proves them: rows take turns in where
/// they begin, so that every byte that is written changes every time.
class CopyEndpoints {
 public:
  CopyEndpoints(device::Device& device, Direction direction, const Row& row, const MakeHost& make_host,
                std::uint64_t seed, const MakeBuffer& make_buffer = {});

  /// The next row.
  device::CopyList next();
  /// Throws device::Error where memory does not hold what the last row copied.
  void check();
  const Row& row() const { return row_; }
  std::uint64_t row_bytes() const { return row_.bytes * row_.copies; }

 private:
  Row row_;
  std::uint64_t rows_ = 0;
  BlockSums source_;
  std::unique_ptr<device::Buffer> from_;  ///< empty where rows begin in host_
  std::unique_ptr<device::Buffer> to_;    ///< empty where rows end in host_
  std::unique_ptr<device::HostMemory> host_;
  std::optional<DeviceProof> proof_;  ///< of to_
};

/// The API's names for an engine, which is no kernel, and for memory of the host, which is no mapping of the device's.
device::CopyEngine engine_of(const Words& words);
device::HostKind host_kind_of(const Words& words);

/// How many copies of `bytes` follow one another in one repetition, on each of so many queues.
std::uint32_t copies_in_a_row(device::Device& device, Effort effort, std::uint64_t bytes, std::uint32_t queues);

/// A byte a nanosecond is a GB/s. Throws device::TooShort where the clock did not move.
inline double gbps_of(std::uint64_t bytes, device::Nanoseconds time) {
  if (time.count() <= 0)
    throw device::TooShort("copies of so few bytes take no time that the clock can tell; larger ones are measured");
  return static_cast<double>(bytes) / time.count();
}

/// A repetition: its value, and how long it was by whichever clock timed it.
struct CopyRepetition {
  double value = 0;
  device::Nanoseconds time{0};
};

/// One untimed repetition, then others until the effort's stopping rule is satisfied. `once` makes one.
template <typename Once>
std::vector<double> repeated(const Limits& limits, const std::function<void()>& alive, Once once) {
  // Proofs take as long as copies, and there are many points. No clock but that of the copies is asked: a simulated
  // device gives the same values every time.
  constexpr double share_of_time = 0.1;
  Limits own = limits;
  own.device_time *= share_of_time;
  measure::StoppingRule rule(own);
  std::vector<double> values;
  once();  // pages get their memory, and drivers whatever they make at first use
  alive();
  while (!rule.done()) {
    const CopyRepetition one = once();
    values.push_back(one.value);
    alive();
    rule.add(one.value, one.time);
  }
  return values;
}

}  // namespace sonde::probes::copy_probe
