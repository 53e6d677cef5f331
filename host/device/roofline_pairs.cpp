#include "device/number_arithmetic.hpp"

#include <bit>
#include <cmath>
#include <utility>
#include <vector>

// This file is compiled with -ffp-contract=off, so that only what is written as std::fma is fused.
namespace sonde::device {
namespace {

ArithmeticPair apply_unpaired(const ArithmeticPair& words, const RooflineRound& form, std::uint32_t rounds,
                              Rounding rounding) {
  const auto number = [](std::uint64_t word) { return std::bit_cast<float>(static_cast<std::uint32_t>(word)); };
  const float first = number(form.operands.x);
  const float second = number(form.operands.y);
  const auto multiply_add = [&](float left, float addend) {
    return rounding.fused ? std::fma(left, first, addend) : left * first + addend;
  };
  float x = number(words.x);
  float y = number(words.y);
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    x = multiply_add(x, second);
    y = multiply_add(y, round % form.joined == 0 ? x : second);
  }
  return {std::bit_cast<std::uint32_t>(x), std::bit_cast<std::uint32_t>(y)};
}

}  // namespace

RooflinePairs::RooflinePairs(const DifferentNumbers& numbers, const RooflineRound& form, std::uint32_t rounds,
                             Rounding rounding) {
  std::vector<ArithmeticPair> pairs;
  for (const std::uint32_t x : numbers) {
    for (const std::uint32_t y : numbers) pairs.push_back({x, y});
  }
  if (form.paired) {
    const std::uint64_t steps = std::uint64_t{2} * rounds;
    const NumberChain chain{NumberType::fp32, NumberOperation::fma, true, form.operands};
    pairs = after_steps(chain, std::move(pairs), steps, rounding);
  } else {
    for (ArithmeticPair& one : pairs) one = apply_unpaired(one, form, rounds, rounding);
  }
  for (std::size_t i = 0; i < pairs.size(); ++i)
    contributions_[i] = static_cast<std::uint32_t>(pairs[i].y + (rounds == 0 ? pairs[i].x : 0));
}

}  // namespace sonde::device
