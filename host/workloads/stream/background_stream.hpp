#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "workloads/stream/stream_proof.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::workloads {

/// The memory that other work-groups read while one walks, and how.
struct BackgroundLoad {
  StreamShape shape;  ///< its groups run beside the walk's
  Sharing sharing = Sharing::separate;
  std::uint64_t bytes = 0;
  std::uint32_t delay = 0;  ///< between two rounds; kernels/chase_loaded.cl says in what
  bool absent = false;      ///< no group reads, so that the same kernel walks alone
};

/// A load so light (a few GB/s) that it only keeps memory and the way to it awake. It reads as much memory as the walk:
/// a cache then holds at least half of what it would hold of the walk alone, and a stream beside a walk that misses a
/// cache misses it as well.
BackgroundLoad light_background_load(const device::DeviceInfo& device, std::uint64_t walk_bytes,
                                     std::uint32_t group_size);

/// The groups beside the walk of kernels/chase_loaded.cl: their memory, their arguments, and the proof of what they
/// read.
class BackgroundStream {
 public:
  BackgroundStream(device::Device& device, const BackgroundLoad& load, device::Use use, std::uint64_t seed);

  device::Buffer* memory() const { return memory_.get(); }
  std::uint32_t groups() const { return absent_ ? 0 : walk_.shape.groups; }
  /// The cursor has the walk's own words, then those of each group.
  std::size_t cursor_words() const { return words_of_walk + std::size_t{2} * groups(); }
  /// The kernel's scalars for the next launch.
  std::vector<std::uint32_t> scalars(std::uint32_t trips, std::uint32_t launch);

  /// Checks what a launch left in the cursor: says why the groups did not read what they claim; nothing when they did.
  std::optional<std::string> proof_failure(std::span<const std::uint32_t> cursor);
  /// Bytes that the groups read in the launch that was checked last.
  std::uint64_t bytes() const { return bytes_; }
  /// Bytes that all groups read in a round.
  double round_bytes() const { return static_cast<double>(blocks_per_round * walk_.trip_bytes()); }
  /// The share of the rounds that it may make which the busiest group made. At 1 that group ended by itself, maybe
  /// before the walk did.
  double share_of_rounds() const { return static_cast<double>(longest_) / most_rounds(); }

 private:
  static constexpr std::size_t words_of_walk = 3;
  static constexpr std::uint32_t blocks_per_round = 4;
  std::uint32_t most_rounds() const;

  bool absent_;
  std::uint32_t delay_;
  std::uint32_t most_trips_;
  StreamWalk walk_;
  std::unique_ptr<device::Buffer> memory_;
  StretchSums sums_;
  std::vector<std::uint32_t> sums_before_;  ///< what each group's word of sums held
  std::uint64_t start_ = 0;                 ///< of the launch that is checked
  std::uint64_t next_start_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint32_t longest_ = 0;
};

}  // namespace sonde::workloads
