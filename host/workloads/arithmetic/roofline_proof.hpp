#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/number_arithmetic.hpp"
#include "workloads/stream/noise.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::workloads {

/// Trips by which the dial of less than one round counts.
inline constexpr std::uint32_t trips_of_a_dial = 8;

/// What the items of each group must have added up, found on the host by the same steps; the array is never kept there.
class RooflineProof {
 public:
  /// `rounds`: of every trip; `extra` of eight trips make one more.
  RooflineProof(const StreamWalk& walk, const device::RooflineRound& turning, std::uint32_t rounds, std::uint32_t extra,
                std::uint64_t seed);

  /// Fills the working set.
  void write(device::Buffer& buffer) const;
  /// Why a group's sum after `trips` trips behind `turn` others is not what it must be; empty where all are.
  std::optional<std::string> flaw(std::span<const std::uint32_t> sums_of_groups, std::uint64_t turn,
                                  std::uint32_t trips);

 private:
  std::uint32_t word(std::uint64_t place) const { return numbers_[noise_(place) % device::different_numbers]; }
  /// Of each block, as a trip adds it up: a usual one, and one that makes a round more.
  void add_up();
  std::optional<std::string> mismatch(std::span<const std::uint32_t> sums_of_groups, std::uint64_t turn,
                                      std::uint32_t trips) const;

  StreamWalk walk_;
  device::RooflineRound turning_;
  std::uint32_t rounds_;
  std::uint32_t extra_;
  Noise noise_;
  device::DifferentNumbers numbers_{};
  device::Rounding rounding_;  ///< how the device was seen to round
  std::array<std::vector<std::uint32_t>, 2> blocks_;
};

}  // namespace sonde::workloads
