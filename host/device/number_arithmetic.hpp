#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

// The computations of kernels/arithmetic.h and kernels/roofline.cl, repeated on the host.
namespace sonde::device {

/// The types in the order in which records list them. `four_bytes` is a word of four bytes that are multiplied by four
/// others; the sum of the products is added to the word.
enum class NumberType { fp64, fp32, fp16, int64, int32, int16, int8, four_bytes };
/// The operations, with the numbers by which the kernels know them. On integers, `fma` multiplies and adds modulo a
/// power of two.
enum class NumberOperation { fma, add, multiply, reciprocal, square_root, exponential, sine };

struct NumberTypeFacts {
  NumberType type;
  std::string_view name;    ///< as a record has it, where dot4 is an operation of int8
  std::string_view kernel;  ///< KernelSource::name
  unsigned bits;
  bool floating;
  unsigned parts = 1;  ///< numbers in a word, each multiplied and added by itself
};
inline constexpr std::array<NumberTypeFacts, 8> number_types{{
    {NumberType::fp64, "fp64", "arithmetic_fp64", 64, true},
    {NumberType::fp32, "fp32", "arithmetic_fp32", 32, true},
    {NumberType::fp16, "fp16", "arithmetic_fp16", 16, true},
    {NumberType::int64, "int64", "arithmetic_int64", 64, false},
    {NumberType::int32, "int32", "arithmetic_int32", 32, false},
    {NumberType::int16, "int16", "arithmetic_int16", 16, false},
    {NumberType::int8, "int8", "arithmetic_int8", 8, false},
    {NumberType::four_bytes, "dot4", "arithmetic_dot4", 32, false, 4},
}};
inline const NumberTypeFacts& facts_of(NumberType type) { return number_types[static_cast<std::size_t>(type)]; }

/// Whether the specification gives each result of such an operation exactly, rather than only bounds.
inline bool is_exact(NumberOperation operation) { return operation < NumberOperation::reciprocal; }

/// One accumulator: two numbers, each stored as the two words of a kernel argument, the lower word in the lower half.
struct ArithmeticPair {
  std::uint64_t x = 0;
  std::uint64_t y = 0;
  friend auto operator<=>(const ArithmeticPair&, const ArithmeticPair&) = default;
};

/// The operation that is applied to an accumulator in every step.
struct NumberChain {
  NumberType type;
  NumberOperation operation;
  bool paired;              ///< uses x and y, else x alone
  ArithmeticPair operands;  ///< first and second of kernels/arithmetic.h
  friend auto operator<=>(const NumberChain&, const NumberChain&) = default;
};

/// The choices that a device may make without being wrong: round a product before it is added, take denormals as zero.
struct Rounding {
  bool fused = true;
  bool flushes = false;
  friend auto operator<=>(const Rounding&, const Rounding&) = default;
};

inline constexpr std::uint32_t different_starts = 16;

/// The buffer from which a kernel takes its starts, and the reverse: low words, then high words of x, then of y, each
/// list of all starts twice.
std::vector<std::uint32_t> start_words(const std::vector<ArithmeticPair>& starts);
std::vector<ArithmeticPair> starts_from_words(const std::uint32_t* words);
inline constexpr std::uint32_t start_words_count = 8 * different_starts;

/// The encoding of a floating-point number, and the reverse.
std::uint64_t bits_of(NumberType type, double number);
double number_of(NumberType type, std::uint64_t bits);

/// The accumulators after so many steps from each start, to the bit where the operation is exact.
std::vector<ArithmeticPair> after_steps(const NumberChain& chain, std::vector<ArithmeticPair> starts,
                                        std::uint64_t steps, Rounding rounding);

/// The items of a dispatch: item i begins with start i + `salt` and has `numbers` numbers from there on.
struct DispatchItems {
  std::uint32_t count = 1;
  std::uint32_t numbers = 1;
  std::uint32_t salt = 0;
};

/// The accumulators after so many steps, indexed by start. Only starts that some item has are computed, as each costs
/// the host time.
std::vector<ArithmeticPair> ends_of_items(const NumberChain& chain, const std::vector<ArithmeticPair>& starts,
                                          std::uint64_t steps, Rounding rounding, const DispatchItems& items);

/// The word that an item writes, computed from its accumulators. Accumulator n is a vector of `width` numbers that
/// began at start first + n * width and the next ones; `ends` has one entry for each start.
std::uint32_t item_result(const NumberChain& chain, const std::vector<ArithmeticPair>& ends, std::uint32_t first,
                          std::uint32_t accumulators, std::uint32_t width);

/// The number of different single-precision numbers in a working set of kernels/roofline.cl; the last four bits of each
/// are its index.
inline constexpr std::uint32_t different_numbers = 16;
using DifferentNumbers = std::array<std::uint32_t, different_numbers>;

/// How a round of the roofline kernel treats two words: x = x + y * first, then y = y + x * second. Where they are not
/// paired, each becomes itself * first + second, except that in the last of `joined` rounds y = y * first + x. In both
/// cases y depends on both words.
struct RooflineRound {
  bool paired = true;
  ArithmeticPair operands = {};  ///< first and second
  std::uint32_t joined = 1;
};

/// The contribution of each pair of words to an item's sum in kernels/roofline.cl, computed on the host to the bit.
class RooflinePairs {
 public:
  RooflinePairs(const DifferentNumbers& numbers, const RooflineRound& form, std::uint32_t rounds, Rounding rounding);

  /// The pair's y as a word after all rounds, or x + y as words where there is no round.
  [[nodiscard]] std::uint32_t contribution(std::uint32_t x, std::uint32_t y) const {
    return contributions_[(x % different_numbers) * different_numbers + y % different_numbers];
  }

 private:
  std::array<std::uint32_t, std::size_t{different_numbers} * different_numbers> contributions_{};
};

}  // namespace sonde::device
