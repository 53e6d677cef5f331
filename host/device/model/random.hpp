#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace sonde::device::model {

/// Mixes two numbers into one that looks random (SplitMix64's finaliser), for seeds and hashes.
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t z = seed + (number + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/// The generator xoshiro256** (Blackman and Vigna): the same numbers on every platform, unlike std:: distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_{mixed(seed, 0), mixed(seed, 1), mixed(seed, 2), mixed(seed, 3)} {}

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  /// A number evenly distributed over 0 … bound - 1.
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32); }
  /// A number evenly distributed over [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// A number of mean 0 and standard deviation 1, by Box and Muller; always takes two of next().
  double gaussian() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_[4];
};

}  // namespace sonde::device::model
