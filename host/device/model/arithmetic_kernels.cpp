#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "device/model/kernels.hpp"

namespace sonde::device::model {
namespace {

constexpr std::uint32_t items_of_an_instruction = 32;
constexpr std::uint32_t register_bits = 32;

/// The work of each item of a launch.
struct ItemWork {
  std::uint32_t accumulators;
  std::uint32_t width;
  double steps;  ///< steps of each accumulator
};

/// The cycles of the compute unit that has most groups, by the slowest of its lanes, its issue and the wait for
/// results; 0 where the device has no rate for the type.
double cycles_of(const Invocation& invocation, const NumberTypeFacts& type, NumberOperation operation,
                 const ItemWork& work) {
  const ArithmeticRates& rates = invocation.description.arithmetic;
  const auto rate = rates.per_cycle.find(std::string(type.name));
  if (rate == rates.per_cycle.end()) return 0;
  const double numbers_per_cycle = is_exact(operation) ? rate->second : rates.functions_per_cycle;
  const std::uint32_t compute_units = invocation.memory.compute_units();
  const std::uint32_t groups = (invocation.kernel.groups + compute_units - 1) / compute_units;
  const std::uint32_t instruction_groups =
      (invocation.kernel.group_size + items_of_an_instruction - 1) / items_of_an_instruction;
  const double instructions_of_32_items = 1.0 * groups * instruction_groups;
  // Narrow numbers share a register where a vector fills it; else its other part computes nothing.
  const std::uint32_t share = std::max(1u, register_bits / type.bits);
  const std::uint32_t registers = (work.width + share - 1) / share;
  const double lanes = instructions_of_32_items * items_of_an_instruction * work.accumulators * registers * share;
  const double issued = instructions_of_32_items * work.accumulators * registers;
  return work.steps * std::max({lanes / numbers_per_cycle, issued / rates.issue_per_cycle, rates.latency_cycles});
}

constexpr std::uint32_t trips_of_extras = 8;

struct Dial {
  std::uint32_t rounds;  ///< rounds in every trip
  std::uint32_t extra;   ///< trips of eight that make one round more
  RooflineRound form;

  explicit Dial(const Invocation& invocation)
      : rounds(invocation.scalar(10) > 0 ? 0 : invocation.scalar(8) * invocation.constant("UNROLL")),
        extra(invocation.scalar(10) > 0 ? invocation.scalar(9) : 0),
        form{.paired = invocation.constant("PAIRED") != 0,
             .operands = {invocation.scalar(11), invocation.scalar(12)},
             .joined = std::max(1u, invocation.constant("UNROLL"))} {}
};

/// The numbers that a working set consists of, by the index that each has in its last bits.
DifferentNumbers numbers_in(const BufferWords& words, std::uint64_t count) {
  DifferentNumbers numbers{};
  std::array<bool, different_numbers> is_known{};
  const std::uint32_t* const contents = words.contents(0, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t place = contents[i] % different_numbers;
    if (!std::exchange(is_known[place], true)) numbers[place] = contents[i];
    if (numbers[place] != contents[i])
      throw Error("a simulated device computes with sixteen different numbers, no more");
  }
  return numbers;
}

/// Adds up what each block adds to its group's sum, first on usual trips, then on those that make a round more.
void add_up_blocks(const SimulatedStream& stream, const Dial& dial, const BufferWords& a, StreamMemory& memory) {
  const std::uint64_t blocks = stream.is_shared() ? stream.blocks : std::uint64_t{stream.blocks} * stream.groups;
  const DifferentNumbers numbers = numbers_in(a, blocks * stream.block_words());
  const std::array tables{RooflinePairs(numbers, dial.form, dial.rounds, {}),
                          RooflinePairs(numbers, dial.form, dial.rounds + 1, {})};
  memory.sums.assign(tables.size() * blocks, 0);
  memory.sums_version = a.version();
  const std::uint32_t row_words = stream.row_words();
  const std::uint32_t* const words = a.contents(0, blocks * stream.block_words());
  for (std::uint64_t block = 0; block < blocks; ++block) {
    for (std::uint32_t row = 0; row < stream.in_flight; row += 2) {
      const std::uint64_t first = stream.row_at(block, row);
      const std::uint64_t second = stream.row_at(block, row + 1);
      for (std::uint32_t i = 0; i < row_words; ++i) {
        const std::uint32_t x = words[first + i];
        const std::uint32_t y = words[second + i];
        memory.sums[block] += tables[0].contribution(x, y);
        if (dial.extra > 0) memory.sums[blocks + block] += tables[1].contribution(x, y);
      }
    }
  }
}

/// Leaves the sum of all items of a group in the first item's word, as only that sum is checked.
void leave_block_sums(Invocation& invocation, const SimulatedStream& stream, const Dial& dial) {
  StreamMemory& memory = invocation.kernel.stream_memory;
  const BufferWords a = invocation.buffer(0);
  if (memory.sums.empty() || memory.sums_version != a.version()) add_up_blocks(stream, dial, a, memory);
  const std::size_t blocks = memory.sums.size() / 2;
  BufferWords out = invocation.buffer(1);
  // After this number of trips a group is at the same place with the same number of rounds.
  const std::uint32_t period = std::lcm(stream.blocks, trips_of_extras);
  for (std::uint32_t group = 0; group < stream.groups; ++group) {
    std::uint32_t all = 0;
    std::uint32_t rest = 0;
    for (std::uint32_t trip = 0; trip < std::min(stream.trips, period); ++trip) {
      const std::uint64_t at = stream.block_at(group, stream.position(group, trip));
      all += memory.sums[(trip % trips_of_extras < dial.extra ? blocks : 0) + at];
      if (trip < stream.trips % period) rest = all;
    }
    invocation.memory.enter(group);
    out.stream(std::uint64_t{group} * stream.group_size, stream.group_size, Transfer::write);
    std::uint32_t* const to = out.changed_contents(std::uint64_t{group} * stream.group_size, stream.group_size);
    std::fill_n(to, stream.group_size, 0);
    *to = stream.trips / period * all + rest;
  }
}

}  // namespace

void arithmetic(Invocation& invocation, NumberType type) {
  const BufferWords starts = invocation.buffer(0);
  BufferWords results = invocation.buffer(1);
  const std::uint32_t trips = invocation.scalar(0);
  const std::uint32_t salt = invocation.scalar(1);
  const auto operand = [&](std::size_t low) {
    return invocation.scalar(low) | std::uint64_t{invocation.scalar(low + 1)} << 32;
  };
  const NumberChain chain{.type = type,
                          .operation = static_cast<NumberOperation>(invocation.constant("OPERATION")),
                          .paired = invocation.constant("PAIRED") != 0,
                          .operands = {operand(2), operand(4)}};
  const ItemWork work{.accumulators = invocation.constant("ACCUMULATORS"),
                      .width = invocation.constant("WIDTH"),
                      .steps = 2.0 * invocation.constant("UNROLL") * trips};
  const std::uint32_t items = invocation.kernel.group_size * invocation.kernel.groups;
  const std::vector<ArithmeticPair> ends = ends_of_items(
      chain, starts_from_words(starts.contents(0, start_words_count)), static_cast<std::uint64_t>(work.steps), {},
      {.count = items, .numbers = work.accumulators * work.width, .salt = salt});
  std::vector<std::uint32_t> results_by_start(different_starts);
  for (std::uint32_t first = 0; first < different_starts; ++first) {
    results_by_start[first] = item_result(chain, ends, first, work.accumulators, work.width);
  }
  results.stream(0, std::uint64_t{2} * items, Transfer::write);
  std::uint32_t* const to = results.changed_contents(0, std::uint64_t{2} * items);
  for (std::uint32_t item = 0; item < items; ++item) {
    to[2 * std::size_t{item}] = results_by_start[(item + salt) % different_starts];
    to[2 * std::size_t{item} + 1] = trips + salt;
  }
  invocation.cycles += cycles_of(invocation, facts_of(type), chain.operation, work);
}

void roofline(Invocation& invocation) {
  const SimulatedStream stream(invocation);
  const Dial dial(invocation);
  if (stream.in_flight < 2) throw Error("rows of numbers are pairs");
  make_trips(invocation, stream, {{invocation.buffer(0), Transfer::read}});
  leave_block_sums(invocation, stream, dial);
  const std::uint32_t eights = stream.trips / trips_of_extras;
  const double rounds = static_cast<double>(dial.rounds) * stream.trips + static_cast<double>(dial.extra) * eights +
                        std::min(stream.trips % trips_of_extras, dial.extra);
  const std::uint32_t in_turn = dial.form.paired ? 2 : 1;  // one row of a pair waits for the other
  const ItemWork work{
      .accumulators = stream.in_flight / in_turn, .width = stream.vector_words, .steps = in_turn * rounds};
  invocation.cycles_beside_streams += cycles_of(invocation, facts_of(NumberType::fp32), NumberOperation::fma, work);
}

}  // namespace sonde::device::model
