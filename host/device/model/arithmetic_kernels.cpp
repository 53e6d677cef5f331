#include "device/model/arithmetic_kernels.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "device/number_arithmetic.hpp"

namespace sonde::device::model {
namespace {

constexpr std::uint32_t items_of_an_instruction = 32;
constexpr std::uint32_t register_bits = 32;

}  // namespace

double cycles_of(const Invocation& invocation, const NumberTypeFacts& type, Operation operation, const CutUp& work,
                 std::uint32_t compute_units) {
  const ArithmeticRates& rates = invocation.arithmetic_rates();
  const auto rate = rates.per_cycle.find(std::string(type.name));
  if (rate == rates.per_cycle.end()) return 0;
  const double numbers_per_cycle = is_exact(operation) ? rate->second : rates.functions_per_cycle;
  const std::uint32_t groups = (invocation.shape().groups + compute_units - 1) / compute_units;
  const std::uint32_t instruction_groups =
      (invocation.shape().group_size + items_of_an_instruction - 1) / items_of_an_instruction;
  const double instructions_of_32_items = 1.0 * groups * instruction_groups;
  // Narrow numbers share a register where a vector fills it; else its other part computes nothing.
  const std::uint32_t share = std::max(1u, register_bits / type.bits);
  const std::uint32_t registers = (work.width + share - 1) / share;
  const double lanes = instructions_of_32_items * items_of_an_instruction * work.accumulators * registers * share;
  const double issued = instructions_of_32_items * work.accumulators * registers;
  return work.steps * std::max({lanes / numbers_per_cycle, issued / rates.issue_per_cycle, rates.latency_cycles});
}

namespace {

void arithmetic(Invocation& invocation, NumberType type) {
  const Invocation::Words starts = invocation.buffer(0);
  Invocation::Words results = invocation.buffer(1);
  const std::uint32_t trips = invocation.scalar(0);
  const std::uint32_t salt = invocation.scalar(1);
  const auto operand = [&](std::size_t low) {
    return invocation.scalar(low) | std::uint64_t{invocation.scalar(low + 1)} << 32;
  };
  const Chain chain{.type = type,
                    .operation = static_cast<Operation>(invocation.constant("OPERATION")),
                    .paired = invocation.constant("PAIRED") != 0,
                    .operands = {operand(2), operand(4)}};
  const CutUp work{.accumulators = invocation.constant("ACCUMULATORS"),
                   .width = invocation.constant("WIDTH"),
                   .steps = 2.0 * invocation.constant("UNROLL") * trips};
  const std::uint32_t items = invocation.shape().group_size * invocation.shape().groups;
  const std::vector<ArithmeticPair> ends = ends_of_items(
      chain, starts_from_words(starts.contents(0, start_words_count)), static_cast<std::uint64_t>(work.steps), {},
      {.count = items, .numbers = work.accumulators * work.width, .salt = salt});
  std::vector<std::uint32_t> told(different_starts);
  for (std::uint32_t first = 0; first < different_starts; ++first) {
    told[first] = item_result(chain, ends, first, work.accumulators, work.width);
  }
  results.stream(0, std::uint64_t{2} * items, Transfer::write);
  std::uint32_t* const to = results.changed_contents(0, std::uint64_t{2} * items);
  for (std::uint32_t item = 0; item < items; ++item) {
    to[2 * std::size_t{item}] = told[(item + salt) % different_starts];
    to[2 * std::size_t{item} + 1] = trips + salt;
  }
  invocation.compute(cycles_of(invocation, facts_of(type), chain.operation, work, invocation.memory().compute_units()));
}

}  // namespace

void arithmetic_fp64(Invocation& invocation) { arithmetic(invocation, NumberType::fp64); }
void arithmetic_fp32(Invocation& invocation) { arithmetic(invocation, NumberType::fp32); }
void arithmetic_fp16(Invocation& invocation) { arithmetic(invocation, NumberType::fp16); }
void arithmetic_int64(Invocation& invocation) { arithmetic(invocation, NumberType::int64); }
void arithmetic_int32(Invocation& invocation) { arithmetic(invocation, NumberType::int32); }
void arithmetic_int16(Invocation& invocation) { arithmetic(invocation, NumberType::int16); }
void arithmetic_int8(Invocation& invocation) { arithmetic(invocation, NumberType::int8); }
void arithmetic_dot4(Invocation& invocation) { arithmetic(invocation, NumberType::four_bytes); }

}  // namespace sonde::device::model
