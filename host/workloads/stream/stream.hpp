#pragma once

#include <random>

#include "workloads/stream/memory_kinds.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::workloads {

/// Moves a working set of `bytes`, all arrays together, again and again. A step is one trip, in which every group moves
/// one block of each array. Every dispatch is proved by what was added up or by what stands in memory.
measure::Workload stream(device::Device& device, Pattern pattern, Sharing sharing, const StreamShape& shape,
                         std::uint64_t bytes, std::uint64_t seed, const MemoryPlace& place = {},
                         measure::Path path = measure::Path::buffer);

/// How far a search goes: nothing is tried and the usual shape of GPUs taken, the usual shapes of GPUs and CPUs alone,
/// once through all numbers of the better one, or until none of them helps any more.
enum class SearchDepth { none, usual, once, full };

/// The shape that moves most bytes a second of this device over a working set of `bytes`, all arrays together. A few
/// milliseconds of device time for each shape that is tried, of some dozens at most.
StreamShape search_shape(device::Device& device, Pattern pattern, Sharing sharing, std::uint64_t bytes,
                         SearchDepth depth, measure::Path path = measure::Path::buffer);

/// Sums of an array's words over any stretch of any group's walk; an array is never kept on the host.
class StretchSums {
 public:
  /// `pieces`: the sum of the words of each piece of a block, in the array's order.
  StretchSums(const StreamWalk& walk, const std::vector<std::uint32_t>& pieces);

  /// The sum, modulo 2^32, of `trips` blocks from a position on, around the end as often as needed.
  std::uint32_t sum(std::uint32_t group, std::uint32_t position, std::uint64_t trips) const;

 private:
  std::uint32_t blocks_;
  std::uint32_t scatter_;
  bool shared_;
  std::vector<std::uint32_t> before_;  ///< for each group, sums of what lies before each position, then of all
};

/// C = A + B on the device again and again, slowed by arithmetic before C is written.
class ThrottledAdd {
 public:
  /// Each of the three arrays has `array_bytes`.
  ThrottledAdd(device::Device& device, const StreamShape& shape, std::uint64_t array_bytes, std::uint64_t seed);

  /// Finds the arithmetic by which this share of the full bandwidth is used, by some dispatches as long as `trial`;
  /// from then on each is about as long as `dispatch`.
  void throttle(double load, device::Nanoseconds dispatch = device::Nanoseconds(8e6),
                device::Nanoseconds trial = device::Nanoseconds(2e6));
  /// Dispatches back to back for about that long.
  device::BusyTimes keep_busy(device::Nanoseconds time);
  /// Why the last dispatches did not do their work, read from device memory; empty when they did.
  std::optional<std::string> proof_failure();

  [[nodiscard]] double bytes_per_dispatch() const;
  [[nodiscard]] const StreamShape& shape() const { return walk_.shape; }
  /// The mean number of rounds of arithmetic on a trip.
  [[nodiscard]] double rounds() const { return static_cast<double>(throttle_) / parts_of_a_round; }

 private:
  static constexpr std::uint32_t parts_of_a_round = 64;  ///< so many trips make one round more by each

  [[nodiscard]] device::Launch next_launch();
  double ns_per_trip(std::uint32_t throttle, device::Nanoseconds trial);
  [[nodiscard]] std::uint32_t most_trips(std::uint32_t throttle) const;

  device::Device& device_;
  StreamWalk walk_;
  std::unique_ptr<device::Kernel> kernel_;
  std::array<Noise, 2> noises_;
  std::array<std::unique_ptr<device::Buffer>, 3> arrays_;
  std::mt19937_64 random_;
  std::uint32_t throttle_ = 0;    ///< parts of a round that each trip makes in the mean
  std::uint32_t trips_ = 1;       ///< of every dispatch
  std::uint64_t turn_ = 0;        ///< trips made since the beginning
  std::uint32_t salt_ = 0;        ///< of the next dispatch
  std::uint64_t first_turn_ = 0;  ///< of the dispatches that `proof_failure` is about, and their first salt
  std::uint32_t first_salt_ = 0;
};

}  // namespace sonde::workloads
