#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "device/number_arithmetic.hpp"

// What kernels/roofline.cl makes of what it reads, on the host.
namespace sonde::device {

/// The words of a working set are any of so many single-precision numbers; the last four bits of each are its place
/// among them.
inline constexpr std::uint32_t different_numbers = 16;
using DifferentNumbers = std::array<std::uint32_t, different_numbers>;

/// How a round is made of two words: x = x + y * first, then y = y + x * second; or, not paired, each x * first +
/// second, but in the last of `joined` rounds y = y * first + x. Either way y tells what both were.
struct Turning {
  bool paired = true;
  ArithmeticPair operands = {};  ///< first and second
  std::uint32_t joined = 1;
};

/// What a pair of words adds to the sum of an item once it has been turned.
class TurnedPairs {
 public:
  /// By so many rounds of a multiply-add with each word, to the bit.
  TurnedPairs(const DifferentNumbers& numbers, const Turning& turning, std::uint32_t rounds, Rounding rounding);

  /// Of two of the numbers: y as a word, or where there was no round both, added up.
  [[nodiscard]] std::uint32_t told(std::uint32_t x, std::uint32_t y) const {
    return told_[(x % different_numbers) * different_numbers + y % different_numbers];
  }

 private:
  std::array<std::uint32_t, std::size_t{different_numbers} * different_numbers> told_{};
};

}  // namespace sonde::device
