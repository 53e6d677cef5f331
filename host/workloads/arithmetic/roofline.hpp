#pragma once

#include "device/number_arithmetic.hpp"
#include "workloads/stream/memory_kinds.hpp"
#include "workloads/stream/stream_walk.hpp"

// A stream that computes with what it reads, as many operations a byte as are asked for.
namespace sonde::workloads {

/// Where trips make less than one round in the mean, so many of them are dialled together.
inline constexpr std::uint32_t trips_of_a_dial = 8;

/// How operations a byte are dialled; a round is two operations a word, as a pair of words makes two multiply-adds.
struct OperationsDial {
  std::uint32_t loops = 0;     ///< on every trip that computes, each of `unroll` rounds
  std::uint32_t unroll = 0;    ///< a power of two; 0 where nothing is computed
  std::uint32_t of_eight = 8;  ///< trips compute; the others only read

  /// Whether trips that compute take turns with others.
  [[nodiscard]] bool takes_turns() const { return of_eight < trips_of_a_dial; }
  [[nodiscard]] double operations_per_byte() const;
};

/// The nearest setting: sixteenths of an operation a byte up to a half, whole halves beyond.
OperationsDial dial_of(double operations_per_byte);

/// A round as CPUs are fastest with it, or as others are. Its factors keep numbers in the range that programs compute
/// with, in as many rounds as are ever asked for.
device::RooflineRound round_of(const device::DeviceInfo& device, const OperationsDial& dial);

/// A stream's shape, with so many of a block's rows in registers at once: an even number.
struct RooflineShape {
  StreamShape walk;
  std::uint32_t at_once = 2;
};

/// A shape as a record has it, and back.
measure::Shape named(const RooflineShape& shape);
RooflineShape roofline_shape_of(const measure::Shape& named);

/// The shape in which a device computes with a working set: enough numbers for every item to hide how long a step
/// takes, and no more than registers. `register_words`: those that a CPU's driver computes with best, 0 where that is
/// not known.
RooflineShape roofline_shape(const device::DeviceInfo& device, Sharing sharing, std::uint64_t bytes,
                             std::uint32_t register_words);

/// The sums that the items of each group must have, found on the host by the same steps; the array is never kept there.
class RooflineProof {
 public:
  /// Every trip makes so many `rounds`; `extra` of eight trips make one more.
  RooflineProof(const StreamWalk& walk, const device::RooflineRound& round, std::uint32_t rounds, std::uint32_t extra,
                std::uint64_t seed);

  /// Fills the working set.
  void write(device::Buffer& buffer) const;
  /// Why a group's sum after `trips` trips behind `turn` others is not what it must be; empty where all are.
  std::optional<std::string> failure(std::span<const std::uint32_t> sums_of_groups, std::uint64_t turn,
                                     std::uint32_t trips);

 private:
  std::uint32_t word(std::uint64_t place) const { return numbers_[noise_(place) % device::different_numbers]; }
  /// Finds the sum of each block by a usual trip, and by one that makes a round more.
  void add_up();
  std::optional<std::string> mismatch(std::span<const std::uint32_t> sums_of_groups, std::uint64_t turn,
                                      std::uint32_t trips) const;

  StreamWalk walk_;
  device::RooflineRound round_;
  std::uint32_t rounds_;
  std::uint32_t extra_;
  Noise noise_;
  device::DifferentNumbers numbers_{};
  device::Rounding rounding_;  ///< how the device was seen to round
  std::array<std::vector<std::uint32_t>, 2> blocks_;
};

/// Reads a working set of `bytes` again and again and computes by multiply-adds of fp32: in Gop/s, or in GB/s where no
/// operation is asked for. Every dispatch is proved by the sum of all words as they are at the end, which the host
/// finds by making the same steps.
measure::Workload roofline(device::Device& device, Sharing sharing, const RooflineShape& shape, std::uint64_t bytes,
                           double operations_per_byte, std::uint64_t seed);

}  // namespace sonde::workloads
