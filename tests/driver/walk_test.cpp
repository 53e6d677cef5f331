// The device contract, walking kernels: every API leaves in memory exactly what the host computes. No test looks at a
// time.

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "driver/device_test.hpp"
#include "kernels.hpp"

namespace sonde::device {
namespace {

constexpr std::uint32_t hops_per_trip = 8;

class DeviceWalk : public test::DeviceTest {};

using Pair = std::array<std::uint32_t, 2>;

Pair pair_in(Buffer& buffer) {
  const std::vector<std::uint32_t> words = test::words_in(buffer);
  return {words.at(0), words.at(1)};
}

/// A cycle through the first words of `count` lines; all other words lead out of the buffer, so that a kernel which
/// strays cannot end at the right place. It is written anew for the tests, so that no probe's fault hides here.
std::vector<std::uint32_t> chain(std::uint32_t count, std::uint32_t line_bytes, std::uint32_t seed) {
  const std::uint32_t words_per_line = line_bytes / 4;
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::minstd_rand(seed));
  std::vector<std::uint32_t> words(std::size_t{count} * words_per_line, 1);
  for (std::uint32_t place = 0; place < count; ++place) {
    words[std::size_t{order[place]} * words_per_line] = order[(place + 1) % count] * words_per_line;
  }
  return words;
}

std::uint32_t walked(const std::vector<std::uint32_t>& words, std::uint32_t at, std::uint32_t trips) {
  for (std::uint64_t hop = 0; hop < std::uint64_t{trips} * hops_per_trip; ++hop) at = words.at(at);
  return at;
}

TEST_P(DeviceWalk, ChaseLeavesWhatTheHostsWalkSays) {
  const auto kernel = device->make_kernel(kernels::chase, 1);
  for (const std::uint32_t line_bytes : {64u, 128u}) {
    const auto words = chain(777, line_bytes, line_bytes);
    const auto next = buffer_of(words);
    for (const std::uint32_t trips : {0u, 1u, 1000u}) {
      const std::uint32_t start = words[0];
      const auto cursor = buffer_of(Pair{start, 99});
      (void)device->run(*kernel, {.buffers = {next.get(), cursor.get()}, .scalars = {trips}, .groups = 1});
      EXPECT_EQ(pair_in(*cursor), (Pair{walked(words, start, trips), trips})) << line_bytes << " " << trips;
    }
  }
}

TEST_P(DeviceWalk, ChaseGoesOnWhereItEnded) {
  const auto kernel = device->make_kernel(kernels::chase, 1);
  const auto words = chain(1000, 64, 3);
  const auto next = buffer_of(words);
  const auto cursor = buffer_of(Pair{0, 0});
  std::uint32_t at = 0;
  for (const std::uint32_t trips : {3u, 50u, 1u, 7u}) {
    (void)device->run(*kernel, {.buffers = {next.get(), cursor.get()}, .scalars = {trips}, .groups = 1});
    at = walked(words, at, trips);
    EXPECT_EQ(pair_in(*cursor), (Pair{at, trips}));
  }
}

TEST_P(DeviceWalk, ChaseReadsItsChainOnly) {
  const auto words = chain(100, 64, 4);
  const auto next = buffer_of(words);
  const auto cursor = buffer_of(Pair{0, 0});
  const auto kernel = device->make_kernel(kernels::chase, 1);
  (void)device->run(*kernel, {.buffers = {next.get(), cursor.get()}, .scalars = {100}, .groups = 1});
  EXPECT_EQ(test::words_in(*next), words);
}

TEST_P(DeviceWalk, IndependentChaseLeavesWhatTheHostComputes) {
  const auto kernel = device->make_kernel(kernels::independent_chase, 1);
  std::minstd_rand random(8);
  for (const std::uint32_t line_words : {16u, 32u}) {
    constexpr std::uint32_t line_count = 700;
    std::vector<std::uint32_t> lines(std::size_t{line_count} * line_words);
    for (std::uint32_t& word : lines) word = static_cast<std::uint32_t>(random()) * 2654435761u;
    const auto memory = buffer_of(lines);
    for (const std::uint32_t trips : {0u, 1u, 1000u}) {
      std::uint32_t word = 5;
      std::uint32_t counter = 4000000000u;
      const auto cursor = buffer_of(std::array<std::uint32_t, 3>{word, counter, 99});
      for (std::uint32_t hop = 0; hop < trips * hops_per_trip; ++hop) {
        const std::uint32_t mixed = (word ^ ++counter) * 0x9E3779B1u;
        word = lines.at((std::uint64_t{mixed} * line_count >> 32) * line_words);
      }
      (void)device->run(
          *kernel, {.buffers = {memory.get(), cursor.get()}, .scalars = {trips, line_count, line_words}, .groups = 1});
      std::array<std::uint32_t, 3> found{};
      cursor->read(0, std::as_writable_bytes(std::span(found)));
      EXPECT_EQ(found, (std::array<std::uint32_t, 3>{word, counter, trips})) << line_words << " " << trips;
    }
  }
}

TEST_P(DeviceWalk, ManyItemsLeaveTheSumsOfWhereTheirStretchesEnd) {
  constexpr std::uint32_t hops_of_a_stretch = 32;
  const std::uint32_t trips_of_a_stretch = hops_of_a_stretch / hops_per_trip;
  const auto words = chain(777, 64, 11);
  std::vector<std::uint32_t> in_bytes = words;
  for (std::uint32_t& word : in_bytes) word *= 4;
  const auto next = buffer_of(in_bytes);
  // The beginning of the stretch behind the last one's is not there.
  std::vector<std::uint32_t> starts{4 * words[0]};
  while (starts.size() * hops_of_a_stretch < 777)
    starts.push_back(4 * walked(words, starts.back() / 4, trips_of_a_stretch));
  const auto stretches = static_cast<std::uint32_t>(starts.size());
  const auto beginnings = buffer_of(starts);
  const std::array<Constant, 1> constants{{{"OFFSET_SHIFT", 0}}};
  for (const std::uint32_t group_size : {1u, allowed(8), allowed(64)}) {
    const auto kernel = device->make_kernel(kernels::chase_by_many, group_size, constants);
    // Less than a turn, some turns, and a part of one beyond the last stretch.
    for (const auto& [first, count] : {std::pair(3u, 5u), std::pair(1u, 24u), std::pair(20u, stretches)}) {
      std::vector<std::uint32_t> found(70, 0xABCDu);
      std::vector<std::uint32_t> expected = found;
      std::fill_n(expected.begin(), group_size, 0u);
      for (std::uint32_t stretch = 0; stretch < count; ++stretch) {
        expected[stretch % group_size] +=
            4 * walked(words, starts[(first + stretch) % stretches] / 4, trips_of_a_stretch);
      }
      const auto sums = buffer_of(found);
      (void)device->run(
          *kernel,
          {.buffers = {next.get(), beginnings.get(), sums.get()}, .scalars = {first, count, stretches}, .groups = 1});
      sums->read(0, std::as_writable_bytes(std::span(found)));
      EXPECT_EQ(found, expected) << group_size << " items, " << count << " stretches from " << first;
    }
  }
  EXPECT_EQ(test::words_in(*next), in_bytes);
  EXPECT_EQ(test::words_in(*beginnings), starts);
}

/// A kernel that walks along another path; the local walk's chain fits the memory that its kernel declares.
struct PathKernel {
  const KernelSource& kernel;
  Use use;
  std::vector<std::uint32_t> scalars;  ///< after the number of trips
};

TEST_P(DeviceWalk, EveryPathLeavesWhatTheHostsWalkSays) {
  const auto words = chain(61, 256, 9);
  const std::uint32_t start = words[0];
  const auto local_words = static_cast<std::uint32_t>(words.size());
  const std::vector<PathKernel> paths{{kernels::chase_scalar, Use::storage, {start}},
                                      {kernels::chase_constant, Use::constant, {start}},
                                      {kernels::chase_image, Use::texels, {}},
                                      {kernels::chase_local, Use::storage, {local_words}},
                                      {kernels::chase_atomic, Use::storage, {0}}};
  for (const PathKernel& path : paths) {
    for (const std::uint32_t group_size : {1u, allowed(32)}) {
      const auto kernel = device->make_kernel(path.kernel, group_size);
      const auto next = device->make_buffer(words.size() * sizeof(std::uint32_t), path.use);
      next->write(0, std::as_bytes(std::span(words)));
      for (const std::uint32_t trips : {0u, 1u, 900u}) {
        // The words behind the two that are written show whether another item wrote.
        std::vector<std::uint32_t> found(40, 0xABCDu);
        found[0] = start;
        const auto cursor = buffer_of(found);
        std::vector<std::uint32_t> expected = found;
        expected[0] = walked(words, start, trips);
        expected[1] = trips;
        std::vector<std::uint32_t> scalars{trips};
        scalars.insert(scalars.end(), path.scalars.begin(), path.scalars.end());
        (void)device->run(*kernel, {.buffers = {next.get(), cursor.get()}, .scalars = scalars, .groups = 1});
        cursor->read(0, std::as_writable_bytes(std::span(found)));
        EXPECT_EQ(found, expected) << path.kernel.name << " " << group_size << " items " << trips << " trips";
      }
      // A constant buffer may be longer than what was asked for.
      std::vector<std::uint32_t> after(words.size());
      next->read(0, std::as_writable_bytes(std::span(after)));
      EXPECT_EQ(after, words) << path.kernel.name << " changed its chain";
    }
  }
}

TEST_P(DeviceWalk, AWalkBesideStreamsLeavesWhatTheHostsWalkSaysAndTheSumsOfWhatTheStreamsRead) {
  const auto words = chain(61, 256, 10);
  const std::uint32_t start = words[0];
  constexpr std::uint32_t blocks = 5;
  constexpr std::uint32_t most_rounds = 40;
  for (const std::uint32_t group_size : {1u, allowed(32)}) {
    const std::array<Constant, 3> constants{{{"IN_FLIGHT", 2}, {"VECTOR_WORDS", 4}, {"SPREAD", 0}}};
    const std::uint32_t block_words = group_size * 2 * 4;
    const auto kernel = device->make_kernel(kernels::chase_loaded, group_size, constants);
    const auto next = buffer_of(words);
    std::vector<std::uint32_t> stream_words(std::size_t{3} * blocks * block_words);
    for (std::uint32_t word = 0; word < stream_words.size(); ++word) stream_words[word] = (word + 1) * 2654435761u;
    const auto stream = buffer_of(stream_words);
    std::vector<std::uint32_t> found(12, 0xABCDu);
    found[0] = start;
    const auto cursor = buffer_of(found);
    std::uint32_t at = start;
    std::uint32_t launch = 100;
    // The cases are a slice for each group, and one set for all groups with waiting.
    for (const auto& [groups, group_step, group_offset, group_further, delay] :
         {std::array{1u, blocks, 0u, 0u, 0u}, std::array{4u, blocks, 2u, 0u, 0u}, std::array{3u, 0u, 2u, 1u, 7u}}) {
      const std::vector<std::uint32_t> before = found;
      constexpr std::uint32_t first = 3;
      (void)device->run(*kernel, {.buffers = {next.get(), cursor.get(), stream.get()},
                                  .scalars = {300, first, blocks, 1, group_step, group_offset, group_further, 0,
                                              ++launch, most_rounds, delay, 1, 0},
                                  .groups = groups});
      at = walked(words, at, 300);
      cursor->read(0, std::as_writable_bytes(std::span(found)));
      EXPECT_EQ(found[0], at);
      EXPECT_EQ(found[1], 300u);
      EXPECT_EQ(found[2], launch);
      for (std::uint32_t group = 0; group < 4; ++group) {
        if (group + 1 >= groups) {
          EXPECT_EQ(found[3 + 2 * group], before[3 + 2 * group]) << group;
          EXPECT_EQ(found[4 + 2 * group], before[4 + 2 * group]) << group;
          continue;
        }
        ASSERT_LE(found[3 + 2 * group], most_rounds) << group;
        std::uint32_t sum = before[4 + 2 * group];
        for (std::uint32_t round = 0; round < 4 * found[3 + 2 * group]; ++round) {
          const std::uint32_t begin = first + group * group_offset + std::min(group, group_further);
          const std::uint32_t block = group * group_step + (begin + round) % blocks;
          for (std::uint32_t word = 0; word < block_words; ++word) sum += stream_words[block * block_words + word];
        }
        EXPECT_EQ(found[4 + 2 * group], sum) << group;
      }
    }
    EXPECT_EQ(test::words_in(*stream), stream_words);
  }
}

TEST_P(DeviceWalk, AChainMayCountInBytes) {
  const auto words = chain(61, 256, 12);
  std::vector<std::uint32_t> in_bytes = words;
  for (std::uint32_t& word : in_bytes) word *= 4;
  const std::uint32_t start = words[0];
  const auto next = buffer_of(in_bytes);
  const std::array<Constant, 1> constants{{{"OFFSET_SHIFT", 0}}};
  for (const PathKernel& path :
       {PathKernel{kernels::chase, Use::storage, {}}, PathKernel{kernels::chase_scalar, Use::storage, {4 * start}},
        PathKernel{kernels::chase_atomic, Use::storage, {0}}}) {
    const auto kernel = device->make_kernel(path.kernel, allowed(32), constants);
    for (const std::uint32_t trips : {0u, 1u, 900u}) {
      const auto cursor = buffer_of(Pair{4 * start, 99});
      std::vector<std::uint32_t> scalars{trips};
      scalars.insert(scalars.end(), path.scalars.begin(), path.scalars.end());
      (void)device->run(*kernel, {.buffers = {next.get(), cursor.get()}, .scalars = scalars, .groups = 1});
      EXPECT_EQ(pair_in(*cursor), (Pair{4 * walked(words, start, trips), trips})) << path.kernel.name;
    }
  }
  const std::array<Constant, 4> beside{{{"IN_FLIGHT", 1}, {"VECTOR_WORDS", 4}, {"SPREAD", 0}, {"OFFSET_SHIFT", 0}}};
  const auto kernel = device->make_kernel(kernels::chase_loaded, allowed(32), beside);
  const auto stream = buffer_of(std::vector<std::uint32_t>(std::size_t{5} * allowed(32) * 4, 1));
  const auto cursor = buffer_of(std::vector<std::uint32_t>{4 * start, 99, 0, 0, 0});
  (void)device->run(*kernel, {.buffers = {next.get(), cursor.get(), stream.get()},
                              .scalars = {300, 0, 5, 1, 5, 0, 0, 0, 7, 40, 0, 1, 0},
                              .groups = 2});
  EXPECT_EQ(pair_in(*cursor), (Pair{4 * walked(words, start, 300), 300}));
}

TEST_P(DeviceWalk, AnAtomicHopReallyAdds) {
  if (GetParam() == "model") GTEST_SKIP() << "the model's reference adds nothing but zero";
  const std::vector<std::uint32_t> words(hops_per_trip + 1, 0);
  const auto next = buffer_of(words);
  const auto cursor = buffer_of(Pair{0, 0});
  const auto kernel = device->make_kernel(kernels::chase_atomic, 1);
  (void)device->run(*kernel, {.buffers = {next.get(), cursor.get()}, .scalars = {1, 1}, .groups = 1});
  std::vector<std::uint32_t> after(words.size());
  next->read(0, std::as_writable_bytes(std::span(after)));
  // Every hop added one, wherever the walk went.
  std::uint32_t sum = 0;
  for (const std::uint32_t word : after) sum += word;
  EXPECT_EQ(sum, hops_per_trip);
}

TEST_P(DeviceWalk, OnlyTheFirstItemWorksHoweverManyThereAre) {
  const auto words = chain(500, 64, 5);
  const auto next = buffer_of(words);
  for (const std::uint32_t group_size : {1u, allowed(32)}) {
    const auto chase = device->make_kernel(kernels::chase, group_size);
    const auto alu_chain = device->make_kernel(kernels::alu_chain, group_size);
    for (const std::uint32_t groups : {1u, 3u}) {
      // The words behind the two that are written show whether another item wrote.
      std::vector<std::uint32_t> marked(2 + 3 * 32, 0xABCDu);
      marked[0] = 0;
      const auto cursor = buffer_of(marked);
      const auto state = buffer_of(marked);
      (void)device->run(*chase, {.buffers = {next.get(), cursor.get()}, .scalars = {10}, .groups = groups});
      (void)device->run(*alu_chain, {.buffers = {state.get()}, .scalars = {1, 1, 1}, .groups = groups});
      std::vector<std::uint32_t> expected = marked;
      std::vector<std::uint32_t> found(marked.size());
      expected[0] = walked(words, 0, 10);
      expected[1] = 10;
      cursor->read(0, std::as_writable_bytes(std::span(found)));
      EXPECT_EQ(found, expected) << groups << " groups of " << group_size;
      expected[0] = 64u;
      expected[1] = 1;
      state->read(0, std::as_writable_bytes(std::span(found)));
      EXPECT_EQ(found, expected) << groups << " groups of " << group_size;
    }
  }
}

TEST_P(DeviceWalk, EveryLaunchHasItsOwnArguments) {
  const auto kernel = device->make_kernel(kernels::chase, 1);
  const auto first_words = chain(300, 64, 6);
  const auto second_words = chain(200, 128, 7);
  const auto first = buffer_of(first_words);
  const auto second = buffer_of(second_words);
  const auto first_cursor = buffer_of(Pair{0, 0});
  const auto second_cursor = buffer_of(Pair{0, 0});
  (void)device->run(*kernel, {.buffers = {first.get(), first_cursor.get()}, .scalars = {5}, .groups = 1});
  (void)device->run(*kernel, {.buffers = {second.get(), second_cursor.get()}, .scalars = {9}, .groups = 1});
  EXPECT_EQ(pair_in(*first_cursor), (Pair{walked(first_words, 0, 5), 5}));
  EXPECT_EQ(pair_in(*second_cursor), (Pair{walked(second_words, 0, 9), 9}));
}

INSTANTIATE_TEST_SUITE_P(, DeviceWalk, test::every_device, test::name_of_device);

}  // namespace
}  // namespace sonde::device
