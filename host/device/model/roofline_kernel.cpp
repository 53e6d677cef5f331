#include "device/model/roofline_kernel.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <vector>

#include "device/error.hpp"
#include "device/model/arithmetic_kernels.hpp"
#include "device/model/stream_trips.hpp"
#include "device/number_arithmetic.hpp"

namespace sonde::device::model {
namespace {

constexpr std::uint32_t trips_of_extras = 8;

struct Dial {
  std::uint32_t rounds;  ///< of every trip
  std::uint32_t extra;   ///< trips of eight that make one round more
  RooflineRound turning;

  explicit Dial(const Invocation& invocation)
      : rounds(invocation.scalar(10) > 0 ? 0 : invocation.scalar(8) * invocation.constant("UNROLL")),
        extra(invocation.scalar(10) > 0 ? invocation.scalar(9) : 0),
        turning{.paired = invocation.constant("PAIRED") != 0,
                .operands = {invocation.scalar(11), invocation.scalar(12)},
                .joined = std::max(1u, invocation.constant("UNROLL"))} {}
};

/// The numbers that a working set consists of, by the place that each tells of itself.
DifferentNumbers numbers_in(const Invocation::Words& words, std::uint64_t count) {
  std::array<std::optional<std::uint32_t>, different_numbers> found;
  const std::uint32_t* const contents = words.contents(0, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::optional<std::uint32_t>& one = found[contents[i] % different_numbers];
    if (!one) one = contents[i];
    if (*one != contents[i]) throw Error("a simulated device computes with sixteen different numbers, no more");
  }
  DifferentNumbers numbers{};
  std::ranges::transform(found, numbers.begin(), [](const auto& one) { return one.value_or(0); });
  return numbers;
}

/// What each block adds to its group's sum: on usual trips, then on those that make a round more.
void add_up_turned(const Stream& stream, const Dial& dial, const Invocation::Words& a, StreamMemory& memory) {
  const std::uint64_t blocks = stream.is_shared() ? stream.blocks : std::uint64_t{stream.blocks} * stream.groups;
  const DifferentNumbers numbers = numbers_in(a, blocks * stream.block_words());
  const std::array tables{RooflinePairs(numbers, dial.turning, dial.rounds, {}),
                          RooflinePairs(numbers, dial.turning, dial.rounds + 1, {})};
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

/// What all items of a group leave stands in the first one's word: only their sum is looked at.
void leave_turned_sums(Invocation& invocation, const Stream& stream, const Dial& dial) {
  StreamMemory& memory = invocation.stream_memory();
  const Invocation::Words a = invocation.buffer(0);
  if (memory.sums.empty() || memory.sums_version != a.version()) add_up_turned(stream, dial, a, memory);
  const std::size_t blocks = memory.sums.size() / 2;
  Invocation::Words out = invocation.buffer(1);
  // After so many trips a group is at the same place with the same number of rounds.
  const std::uint32_t period = std::lcm(stream.blocks, trips_of_extras);
  for (std::uint32_t group = 0; group < stream.groups; ++group) {
    std::uint32_t all = 0;
    std::uint32_t rest = 0;
    for (std::uint32_t trip = 0; trip < std::min(stream.trips, period); ++trip) {
      const std::uint64_t at = stream.block_at(group, stream.position(group, trip));
      all += memory.sums[(trip % trips_of_extras < dial.extra ? blocks : 0) + at];
      if (trip < stream.trips % period) rest = all;
    }
    invocation.enter_group(group);
    out.stream(std::uint64_t{group} * stream.group_size, stream.group_size, Transfer::write);
    std::uint32_t* const to = out.changed_contents(std::uint64_t{group} * stream.group_size, stream.group_size);
    std::fill_n(to, stream.group_size, 0);
    *to = stream.trips / period * all + rest;
  }
}

/// Of all trips together.
double all_rounds(const Stream& stream, const Dial& dial) {
  const std::uint32_t eights = stream.trips / trips_of_extras;
  const std::uint32_t rest = stream.trips % trips_of_extras;
  return static_cast<double>(dial.rounds) * stream.trips + static_cast<double>(dial.extra) * eights +
         std::min(rest, dial.extra);
}

}  // namespace

void roofline(Invocation& invocation) {
  const Stream stream(invocation);
  const Dial dial(invocation);
  if (stream.in_flight < 2) throw Error("rows of numbers are pairs");
  std::vector<Touch> touches{{invocation.buffer(0), Transfer::read}};
  make_trips(invocation, stream, touches);
  leave_turned_sums(invocation, stream, dial);
  const std::uint32_t in_turn = dial.turning.paired ? 2 : 1;  // of a pair one row waits for the other
  const CutUp work{.accumulators = stream.in_flight / in_turn,
                   .width = stream.vector_words,
                   .steps = in_turn * all_rounds(stream, dial)};
  invocation.compute_beside_streams(
      cycles_of(invocation, facts_of(NumberType::fp32), Operation::fma, work, invocation.memory().compute_units()));
}

}  // namespace sonde::device::model
