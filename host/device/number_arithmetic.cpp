#include "device/number_arithmetic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>

// This file is compiled with -ffp-contract=off, so that only what is written as std::fma is fused.
namespace sonde::device {
namespace {

constexpr int half_digits = 11;
constexpr double least_normal_half = 0x1p-14;

/// Rounds to the nearest half, ties to even; numbers here stay far below the largest.
double to_half(double number, bool flushes) {
  if (std::abs(number) < least_normal_half) {
    constexpr double shift = 0x1.8p28;  // its last digit is the last of a denormal half, 2^-24
    return flushes ? std::copysign(0.0, number) : (number + shift) - shift;
  }
  constexpr int lost = std::numeric_limits<double>::digits - half_digits;
  std::uint64_t bits = std::bit_cast<std::uint64_t>(number);
  bits += ((std::uint64_t{1} << (lost - 1)) - 1) + ((bits >> lost) & 1);
  return std::bit_cast<double>(bits & ~((std::uint64_t{1} << lost) - 1));
}

/// The arithmetic of a type that the host has; halves are kept in doubles, which hold their products and sums exactly.
template <typename Type, bool Halves = false>
struct Floats {
  using Number = Type;
  Rounding rounding;

  Type kept(Type number) const {
    if constexpr (Halves) return to_half(number, rounding.flushes);
    return rounding.flushes && std::abs(number) < std::numeric_limits<Type>::min() ? std::copysign(Type{0}, number)
                                                                                   : number;
  }
  Type add(Type left, Type right) const { return kept(left + right); }
  Type multiply(Type left, Type right) const { return kept(left * right); }
  Type multiply_add(Type left, Type right, Type addend) const {
    if (!rounding.fused) return add(multiply(left, right), addend);
    return kept(Halves ? left * right + addend : std::fma(left, right, addend));
  }
};

double function(NumberOperation operation, double x, double addend) {
  switch (operation) {
    case NumberOperation::reciprocal: return 1 / (x + addend);
    case NumberOperation::square_root: return std::sqrt(x + addend);
    case NumberOperation::exponential: return std::exp2(addend - x);
    default: return std::sin(x + addend);
  }
}

/// Makes the steps of all chains side by side, which lets the host overlap them.
template <typename Rules>
void replay(const Rules& rules, const NumberChain& chain, std::vector<ArithmeticPair>& pairs, std::uint64_t steps) {
  using Number = typename Rules::Number;
  const auto number = [&](std::uint64_t bits) { return static_cast<Number>(number_of(chain.type, bits)); };
  const Number first = number(chain.operands.x);
  const Number second = number(chain.operands.y);
  const std::size_t count = pairs.size();
  std::vector<Number> x(count);
  std::vector<Number> y(count);
  std::ranges::transform(pairs, x.begin(), number, &ArithmeticPair::x);
  std::ranges::transform(pairs, y.begin(), number, &ArithmeticPair::y);
  for (std::uint64_t step = 0; step + 2 <= steps; step += 2) {
    switch (chain.operation) {
      case NumberOperation::fma:
        if (!chain.paired) {
          for (std::size_t i = 0; i < count; ++i) {
            x[i] = rules.multiply_add(x[i], x[i], first);
            x[i] = rules.multiply_add(x[i], x[i], first);
          }
          break;
        }
        for (std::size_t i = 0; i < count; ++i) x[i] = rules.multiply_add(y[i], first, x[i]);
        for (std::size_t i = 0; i < count; ++i) y[i] = rules.multiply_add(x[i], second, y[i]);
        break;
      case NumberOperation::add:
        for (std::size_t i = 0; i < count; ++i) x[i] = rules.add(x[i], y[i]);
        for (std::size_t i = 0; i < count; ++i) y[i] = rules.add(y[i], -x[i]);
        break;
      default:
        for (std::size_t i = 0; i < count; ++i) x[i] = rules.multiply(rules.multiply(x[i], first), second);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    pairs[i] = {bits_of(chain.type, static_cast<double>(x[i])), bits_of(chain.type, static_cast<double>(y[i]))};
  }
}

/// Chains of functions converge to a pair of values whatever they began with: more steps change nothing.
constexpr std::uint64_t steps_to_converge = 400;

void follow_function(const NumberChain& chain, std::vector<ArithmeticPair>& pairs, std::uint64_t steps) {
  const double first = number_of(NumberType::fp32, chain.operands.x);
  const double second = number_of(NumberType::fp32, chain.operands.y);
  for (ArithmeticPair& one : pairs) {
    double x = number_of(NumberType::fp32, one.x);
    for (std::uint64_t step = 0; step < steps; step += 2) {
      x = function(chain.operation, function(chain.operation, x, first), second);
    }
    one.x = bits_of(NumberType::fp32, x);
  }
}

/// Follows chains of integers. Two steps are linear: they multiply the vector (x, y), or (x, 1) where x is alone, by a
/// matrix, so powers of the matrix replace the loop.
void multiply_and_add(const NumberChain& chain, std::vector<ArithmeticPair>& pairs, std::uint64_t steps) {
  using Matrix = std::array<std::uint64_t, 4>;
  const auto times = [](const Matrix& a, const Matrix& b) {
    return Matrix{a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                  a[2] * b[1] + a[3] * b[3]};
  };
  const bool adds = chain.operation == NumberOperation::add;
  const std::uint64_t first = adds ? 1 : chain.operands.x;
  const std::uint64_t second = adds ? 1 : chain.operands.y;
  Matrix power = chain.paired ? Matrix{1, first, second, 1 + first * second}
                              : Matrix{first * first, first * second + second, 0, 1};
  Matrix all{1, 0, 0, 1};
  for (std::uint64_t rest = steps / 2; rest != 0; rest /= 2, power = times(power, power)) {
    if (rest % 2 == 1) all = times(all, power);
  }
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - facts_of(chain.type).bits);
  for (ArithmeticPair& one : pairs) {
    const std::uint64_t y = chain.paired ? one.y : 1;
    one = {(all[0] * one.x + all[1] * y) & mask, (all[2] * one.x + all[3] * y) & mask};
  }
}

std::uint32_t dot_of_bytes(std::uint32_t left, std::uint32_t right) {
  std::int32_t sum = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    sum += static_cast<std::int8_t>(left >> shift) * static_cast<std::int8_t>(right >> shift);
  }
  return static_cast<std::uint32_t>(sum);
}

/// Chains of dot products cannot be shortened by squaring a matrix, because carries cross bytes: every step is
/// simulated.
void add_dots(const NumberChain& chain, std::vector<ArithmeticPair>& pairs, std::uint64_t steps) {
  const auto first = static_cast<std::uint32_t>(chain.operands.x);
  const auto second = static_cast<std::uint32_t>(chain.operands.y);
  for (ArithmeticPair& one : pairs) {
    auto x = static_cast<std::uint32_t>(one.x);
    auto y = static_cast<std::uint32_t>(one.y);
    for (std::uint64_t step = 0; step + 2 <= steps; step += 2) {
      x += dot_of_bytes(y, first);
      y += dot_of_bytes(x, second);
    }
    one = {x, y};
  }
}

void follow(const NumberChain& chain, std::vector<ArithmeticPair>& pairs, std::uint64_t steps,
            const Rounding& rounding) {
  if (!is_exact(chain.operation)) return follow_function(chain, pairs, steps);
  switch (chain.type) {
    case NumberType::four_bytes: return add_dots(chain, pairs, steps);
    case NumberType::fp64: return replay(Floats<double>{rounding}, chain, pairs, steps);
    case NumberType::fp32: return replay(Floats<float>{rounding}, chain, pairs, steps);
    default: return replay(Floats<double, true>{rounding}, chain, pairs, steps);
  }
}

/// A number folded into one word, as the kernels do it.
std::uint32_t folded(NumberType type, std::uint64_t bits) {
  const auto low = static_cast<std::uint32_t>(bits);
  return facts_of(type).bits == 64 ? low ^ static_cast<std::uint32_t>(bits >> 32) : low;
}

}  // namespace

std::uint64_t bits_of(NumberType type, double number) {
  if (type == NumberType::fp64) return std::bit_cast<std::uint64_t>(number);
  const double kept = type == NumberType::fp16 ? to_half(number, false) : number;
  return std::bit_cast<std::uint32_t>(static_cast<float>(kept));
}

double number_of(NumberType type, std::uint64_t bits) {
  if (type == NumberType::fp64) return std::bit_cast<double>(bits);
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

std::vector<ArithmeticPair> after_steps(const NumberChain& chain, std::vector<ArithmeticPair> starts,
                                        std::uint64_t steps, Rounding rounding) {
  if (!facts_of(chain.type).floating && chain.type != NumberType::four_bytes) {
    multiply_and_add(chain, starts, steps);
    return starts;
  }
  if (!is_exact(chain.operation)) steps = std::min(steps, steps_to_converge);
  // Dispatches of two lengths are repeated in turn, and a simulated device and the proof of its work make the same
  // steps, so ends are kept.
  using Key = std::tuple<NumberChain, Rounding, std::uint64_t, ArithmeticPair>;
  constexpr std::size_t most_kept = 1 << 16;
  static std::mutex mutex;
  static std::map<Key, ArithmeticPair> ends;
  const auto key_of = [&](const ArithmeticPair& start) { return Key{chain, rounding, steps, start}; };
  const std::scoped_lock lock(mutex);
  std::vector<ArithmeticPair> missing;
  std::ranges::copy_if(starts, std::back_inserter(missing),
                       [&](const ArithmeticPair& start) { return !ends.contains(key_of(start)); });
  if (ends.size() + missing.size() > most_kept) {
    ends.clear();
    missing = starts;
  }
  if (!missing.empty()) {
    std::vector<ArithmeticPair> made = missing;
    follow(chain, made, steps, rounding);
    for (std::size_t i = 0; i < missing.size(); ++i) ends[key_of(missing[i])] = made[i];
  }
  for (ArithmeticPair& one : starts) one = ends.at(key_of(one));
  return starts;
}

std::vector<ArithmeticPair> ends_of_items(const NumberChain& chain, const std::vector<ArithmeticPair>& starts,
                                          std::uint64_t steps, Rounding rounding, const DispatchItems& items) {
  const std::uint32_t needed = std::min(items.count + items.numbers - 1, different_starts);
  const auto start_at = [&](std::uint32_t i) { return (items.salt + i) % different_starts; };
  std::vector<ArithmeticPair> made;
  for (std::uint32_t i = 0; i < needed; ++i) made.push_back(starts[start_at(i)]);
  made = after_steps(chain, std::move(made), steps, rounding);
  std::vector<ArithmeticPair> ends(different_starts);
  for (std::uint32_t i = 0; i < needed; ++i) ends[start_at(i)] = made[i];
  return ends;
}

std::vector<std::uint32_t> start_words(const std::vector<ArithmeticPair>& starts) {
  std::vector<std::uint32_t> words;
  for (const auto number : {&ArithmeticPair::x, &ArithmeticPair::y}) {
    for (const int shift : {0, 32}) {
      for (std::uint32_t twice = 0; twice < 2; ++twice) {
        for (const ArithmeticPair& start : starts) words.push_back(static_cast<std::uint32_t>(start.*number >> shift));
      }
    }
  }
  return words;
}

std::vector<ArithmeticPair> starts_from_words(const std::uint32_t* words) {
  const auto number = [words](std::uint32_t place) {
    return words[place] | std::uint64_t{words[place + 2 * different_starts]} << 32;
  };
  std::vector<ArithmeticPair> starts;
  for (std::uint32_t start = 0; start < different_starts; ++start) {
    starts.push_back({number(start), number(start + 4 * different_starts)});
  }
  return starts;
}

std::uint32_t item_result(const NumberChain& chain, const std::vector<ArithmeticPair>& ends, std::uint32_t first,
                          std::uint32_t accumulators, std::uint32_t width) {
  constexpr std::uint32_t factor = 0x01000193u;
  std::array<std::uint32_t, different_starts> checks{};
  std::array<float, different_starts> sums{};
  for (std::uint32_t accumulator = 0; accumulator < accumulators; ++accumulator) {
    for (std::uint32_t i = 0; i < width; ++i) {
      const ArithmeticPair& end = ends[(first + accumulator * width + i) % different_starts];
      checks[i] = checks[i] * factor + folded(chain.type, end.x);
      if (chain.paired) checks[i] = checks[i] * factor + folded(chain.type, end.y);
      sums[i] += static_cast<float>(number_of(NumberType::fp32, end.x));
    }
  }
  std::uint32_t check = 0;
  float sum = 0;
  for (std::uint32_t i = 0; i < width; ++i) {
    check = check * factor + checks[i];
    sum += sums[i];
  }
  return is_exact(chain.operation) ? check : std::bit_cast<std::uint32_t>(sum);
}

}  // namespace sonde::device
