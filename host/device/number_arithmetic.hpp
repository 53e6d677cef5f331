#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

// What kernels/arithmetic.h computes, on the host.
namespace sonde::device {

/// In the order in which records list them. Four bytes stand in a word; they are multiplied by four others, and the sum
/// of the products is added to the word.
enum class NumberType { fp64, fp32, fp16, int64, int32, int16, int8, four_bytes };
/// By the numbers that the kernels know them by. Of integers the first one multiplies and adds, modulo a power of two.
enum class Operation { fma, add, multiply, reciprocal, square_root, exponential, sine };

struct NumberTypeFacts {
  NumberType type;
  std::string_view name;    ///< as a record has it, where dot4 is an operation of int8
  std::string_view kernel;  ///< KernelSource::name
  unsigned bits;
  bool floating;
  unsigned parts = 1;  ///< that are multiplied and added each by itself
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

/// Whether the device tells each result of such an operation, or no more than its bounds.
inline bool is_exact(Operation operation) { return operation < Operation::reciprocal; }

/// One accumulator: two numbers, each as the two words by which a kernel is given it, the lower one in the lower half.
struct ArithmeticPair {
  std::uint64_t x = 0;
  std::uint64_t y = 0;
  friend auto operator<=>(const ArithmeticPair&, const ArithmeticPair&) = default;
};

/// What an accumulator goes through, step after step.
struct Chain {
  NumberType type;
  Operation operation;
  bool paired;              ///< of x and y, else of x alone
  ArithmeticPair operands;  ///< first and second of kernels/arithmetic.h
  friend auto operator<=>(const Chain&, const Chain&) = default;
};

/// What a device may do otherwise without being wrong: round a product before it is added, take denormals as zero.
struct Rounding {
  bool fused = true;
  bool flushes = false;
  friend auto operator<=>(const Rounding&, const Rounding&) = default;
};

inline constexpr std::uint32_t different_starts = 16;

/// The buffer that a kernel takes them from, and back: low and high words of x, then of y, each of all starts twice.
std::vector<std::uint32_t> start_words(const std::vector<ArithmeticPair>& starts);
std::vector<ArithmeticPair> starts_in(const std::uint32_t* words);
inline constexpr std::uint32_t start_words_count = 8 * different_starts;

/// The words of a floating-point number.
std::uint64_t words_of(NumberType type, double number);
double number_of(NumberType type, std::uint64_t words);

/// What stands in the accumulators after so many steps from each start, to the bit where the operation is exact.
/// Remembers what it has found, as it follows chains of floating-point numbers step by step. At most 16 starts.
std::vector<ArithmeticPair> after_steps(const Chain& chain, std::vector<ArithmeticPair> starts, std::uint64_t steps,
                                        Rounding rounding);

/// Which starts a dispatch has: item number i begins with start i + `salt`, and has so many numbers from there on.
struct ItemsOfADispatch {
  std::uint32_t count = 1;
  std::uint32_t numbers = 1;
  std::uint32_t salt = 0;
};

/// The same, by start; of those that some item has alone, as each costs the host time.
std::vector<ArithmeticPair> ends_of_items(const Chain& chain, const std::vector<ArithmeticPair>& starts,
                                          std::uint64_t steps, Rounding rounding, const ItemsOfADispatch& items);

/// The word that an item leaves: of its accumulators, of which number n is a vector of `width` that began at
/// start first + n * width and the next ones; `ends` has one for each start.
std::uint32_t told_by_item(const Chain& chain, const std::vector<ArithmeticPair>& ends, std::uint32_t first,
                           std::uint32_t accumulators, std::uint32_t width);

}  // namespace sonde::device
