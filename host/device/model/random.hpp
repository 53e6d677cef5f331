#pragma once

#include <cstdint>

namespace sonde::device::model {

/// Mixes two numbers into one that looks random (SplitMix64's finaliser); for seeds and hashes.
[[nodiscard]] std::uint64_t mixed(std::uint64_t seed, std::uint64_t number);

/// xoshiro256** (Blackman and Vigna): the same numbers on every platform, unlike std:: distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed);

  std::uint64_t next();
  /// Evenly distributed over 0 … bound - 1.
  std::uint32_t below(std::uint32_t bound);
  /// Evenly distributed over [0, 1).
  double uniform();
  /// Mean 0, standard deviation 1, by Box and Muller; always takes two numbers.
  double gaussian();

 private:
  std::uint64_t state_[4];
};

}  // namespace sonde::device::model
