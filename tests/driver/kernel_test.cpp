// The device contract, kernels: every API leaves in memory exactly what the host computes. Never a time.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "driver/device_test.hpp"
#include "kernels.hpp"

namespace sonde::device {
namespace {

constexpr std::uint32_t hops_per_trip = 8;    // of a walk
constexpr std::uint32_t steps_per_trip = 64;  // of arithmetic

class DeviceKernel : public test::DeviceTest {
 protected:
  std::unique_ptr<Buffer> buffer_of(std::span<const std::uint32_t> words) {
    auto buffer = device->make_buffer(words.size_bytes());
    buffer->write(0, std::as_bytes(words));
    return buffer;
  }

  /// A group size that this device has.
  std::uint32_t allowed(std::uint32_t group_size) const {
    return std::min(group_size, device->info().largest_group_size);
  }
};

using Pair = std::array<std::uint32_t, 2>;

Pair pair_in(Buffer& buffer) {
  Pair words{};
  buffer.read(0, std::as_writable_bytes(std::span(words)));
  return words;
}

/// A cycle through the first words of `count` lines; all other words lead out of the buffer, so that a kernel
/// which strays cannot end at the right place. The tests' own, so that no probe's fault hides here.
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

TEST_P(DeviceKernel, ChaseLeavesWhatTheHostsWalkSays) {
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

TEST_P(DeviceKernel, ChaseGoesOnWhereItEnded) {
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

TEST_P(DeviceKernel, ChaseReadsItsChainOnly) {
  const auto words = chain(100, 64, 4);
  const auto next = buffer_of(words);
  const auto cursor = buffer_of(Pair{0, 0});
  const auto kernel = device->make_kernel(kernels::chase, 1);
  (void)device->run(*kernel, {.buffers = {next.get(), cursor.get()}, .scalars = {100}, .groups = 1});
  std::vector<std::uint32_t> after(words.size());
  next->read(0, std::as_writable_bytes(std::span(after)));
  EXPECT_EQ(after, words);
}

TEST_P(DeviceKernel, IndependentChaseLeavesWhatTheHostComputes) {
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

/// The same walk along every other path; the local walk's chain fits what its kernel declares.
struct PathKernel {
  const KernelSource& kernel;
  Use use;
  std::vector<std::uint32_t> scalars;  ///< behind the trips
};

TEST_P(DeviceKernel, EveryPathLeavesWhatTheHostsWalkSays) {
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
        // Words behind the two that are written: another item would leave its mark there.
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
      std::vector<std::uint32_t> after(words.size());
      next->read(0, std::as_writable_bytes(std::span(after)));
      EXPECT_EQ(after, words) << path.kernel.name << " changed its chain";
    }
  }
}

TEST_P(DeviceKernel, AWalkBesideStreamsLeavesWhatTheHostsWalkSaysAndTheSumsOfWhatTheStreamsRead) {
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
    // One slice a group, then all of one set; without and with waiting.
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
    std::vector<std::uint32_t> after(stream_words.size());
    stream->read(0, std::as_writable_bytes(std::span(after)));
    EXPECT_EQ(after, stream_words);
  }
}

TEST_P(DeviceKernel, AChainMayCountInBytes) {
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

TEST_P(DeviceKernel, AnAtomicHopReallyAdds) {
  if (GetParam() == "model") GTEST_SKIP() << "the model's reference adds nothing but zero";
  const std::vector<std::uint32_t> words(hops_per_trip + 1, 0);
  const auto next = buffer_of(words);
  const auto cursor = buffer_of(Pair{0, 0});
  const auto kernel = device->make_kernel(kernels::chase_atomic, 1);
  (void)device->run(*kernel, {.buffers = {next.get(), cursor.get()}, .scalars = {1, 1}, .groups = 1});
  std::vector<std::uint32_t> after(words.size());
  next->read(0, std::as_writable_bytes(std::span(after)));
  // Wherever the walk went, every hop left a one.
  std::uint32_t sum = 0;
  for (const std::uint32_t word : after) sum += word;
  EXPECT_EQ(sum, hops_per_trip);
}

TEST_P(DeviceKernel, AluChainLeavesWhatTheHostComputes) {
  const auto kernel = device->make_kernel(kernels::alu_chain, 1);
  for (const std::uint32_t trips : {0u, 1u, 1000u}) {
    // Factor and addend of no probe, and neither the other's, so that exchanged arguments show.
    constexpr std::uint32_t factor = 22695477;
    constexpr std::uint32_t addend = 12345;
    std::uint32_t x = 7;
    for (std::uint32_t step = 0; step < trips * steps_per_trip; ++step) x = x * factor + addend;
    const auto state = buffer_of(Pair{7, 99});
    (void)device->run(*kernel, {.buffers = {state.get()}, .scalars = {trips, factor, addend}, .groups = 1});
    EXPECT_EQ(pair_in(*state), (Pair{x, trips})) << trips;
  }
}

TEST_P(DeviceKernel, ClockRateIsTheSameChainBetweenTwoReadingsOfTheCounter) {
  const bool has_counter = device->info().core_clock;
  if (device->info().api == Api::vulkan && !has_counter) GTEST_SKIP() << "no VK_KHR_shader_clock of a subgroup";
  const auto kernel = device->make_kernel(kernels::clock_rate, 1);
  for (const std::uint32_t trips : {0u, 1u, 1000u}) {
    constexpr std::uint32_t factor = 22695477;
    constexpr std::uint32_t addend = 12345;
    std::uint32_t x = 7;
    for (std::uint32_t step = 0; step < trips * steps_per_trip; ++step) x = x * factor + addend;
    std::array<std::uint32_t, 5> found{7, 99, 5, 5, 0xABCD};
    const auto state = buffer_of(found);
    (void)device->run(*kernel, {.buffers = {state.get()}, .scalars = {trips, factor, addend}, .groups = 1});
    state->read(0, std::as_writable_bytes(std::span(found)));
    EXPECT_EQ((Pair{found[0], found[1]}), (Pair{x, trips})) << trips;
    EXPECT_EQ(found[4], 0xABCDu);
    // No step takes less than a hundredth of a tick of any counter, nor so many that 31 bits overflow.
    const auto ticks = static_cast<std::int32_t>(found[3] - found[2]);
    if (has_counter) {
      EXPECT_GE(ticks, static_cast<std::int32_t>(trips * steps_per_trip / 100)) << trips;
    } else {
      EXPECT_EQ((Pair{found[2], found[3]}), (Pair{0, 0}));
    }
  }
}

/// One input of kernels/frame_pass.cl, and its five scalars.
struct PassInput {
  std::vector<std::uint32_t> words;
  std::uint32_t rows, times, step, start;

  std::uint32_t vectors() const { return static_cast<std::uint32_t>(words.size() / 4); }
};

/// What the kernel has to leave; the tests' own.
std::vector<std::uint32_t> passed(const std::vector<PassInput>& inputs, std::uint32_t items, std::uint32_t group_size,
                                  std::uint32_t salt, std::uint32_t out_rows) {
  std::vector<std::uint32_t> target(std::size_t{items} * out_rows * 4);
  for (std::uint32_t item = 0; item < items; ++item) {
    const std::uint32_t first = item / group_size * group_size;
    const std::uint32_t width = std::min(group_size, items - first);
    for (std::uint32_t word = 0; word < 4; ++word) {
      std::uint32_t made = (item * 4 + word) * 0x9E3779B9u + salt;
      for (const PassInput& input : inputs) {
        for (std::uint32_t time = 0; time < input.times; ++time) {
          for (std::uint32_t row = 0; row < input.rows; ++row) {
            const std::uint32_t at = first * input.rows + item - first + row * width + input.start + time * input.step;
            made = made * 0x85EBCA6Bu + input.words[at % input.vectors() * 4 + word];
          }
        }
      }
      for (std::uint32_t row = 0; row < out_rows; ++row, made += 0xC2B2AE35u)
        target[(std::size_t{first} * out_rows + item - first + std::size_t{row} * width) * 4 + word] = made;
    }
  }
  return target;
}

TEST_P(DeviceKernel, APassOfAFrameMakesItsTargetOfAllThatItReads) {
  const std::uint32_t group_size = allowed(8);
  const auto kernel = device->make_kernel(kernels::frame_pass, group_size);
  std::minstd_rand random(9);
  const auto noise = [&random](std::uint32_t vectors) {
    std::vector<std::uint32_t> words(std::size_t{vectors} * 4);
    for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random()) * 2654435761u;
    return words;
  };
  // The last block is not full; reads go around the end, within a row too; the third input is a part of a texture.
  constexpr std::uint32_t items = 61;
  const std::vector<PassInput> inputs{
      {noise(items * 3), 3, 2, 7, 0}, {noise(items), 1, 4, 5, 0}, {noise(items * 4), 2, 1, 0, items * 2}};
  for (const std::size_t count : {0u, 1u, 3u}) {
    const std::vector<PassInput> used(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(count));
    for (const std::uint32_t groups : {1u, 3u, 8u}) {
      constexpr std::uint32_t out_rows = 2;
      // Words behind the target: nothing may reach them.
      std::vector<std::uint32_t> expected = passed(used, items, group_size, groups, out_rows);
      expected.resize(expected.size() + 32, 0xABCDu);
      const auto target = buffer_of(std::vector<std::uint32_t>(expected.size(), 0xABCDu));
      std::vector<std::unique_ptr<Buffer>> read;
      Launch launch{.buffers = {}, .scalars = {items, groups, out_rows}, .groups = groups};
      for (std::size_t place = 0; place < inputs.size(); ++place) {
        const PassInput& input = inputs[place];
        read.push_back(buffer_of(input.words));
        launch.buffers.push_back(read.back().get());
        if (place < count) {
          launch.scalars.insert(launch.scalars.end(),
                                {input.rows, input.times, input.step, input.start, input.vectors()});
        } else {
          launch.scalars.insert(launch.scalars.end(), {0, 0, 0, 0, 0});
        }
      }
      launch.buffers.push_back(target.get());
      (void)device->run(*kernel, launch);
      std::vector<std::uint32_t> found(expected.size());
      target->read(0, std::as_writable_bytes(std::span(found)));
      EXPECT_EQ(found, expected) << count << " inputs, " << groups << " groups";
    }
  }
}

TEST_P(DeviceKernel, OnlyTheFirstItemWorksHoweverManyThereAre) {
  const auto words = chain(500, 64, 5);
  const auto next = buffer_of(words);
  for (const std::uint32_t group_size : {1u, allowed(32)}) {
    const auto chase = device->make_kernel(kernels::chase, group_size);
    const auto alu_chain = device->make_kernel(kernels::alu_chain, group_size);
    for (const std::uint32_t groups : {1u, 3u}) {
      // Words behind the two that are written: another item would leave its mark there.
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
      expected[0] = steps_per_trip;
      expected[1] = 1;
      state->read(0, std::as_writable_bytes(std::span(found)));
      EXPECT_EQ(found, expected) << groups << " groups of " << group_size;
    }
  }
}

TEST_P(DeviceKernel, EveryLaunchHasItsOwnArguments) {
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

TEST_P(DeviceKernel, TheTimeOfADispatchIsANumberNotBelowZero) {
  const auto kernel = device->make_kernel(kernels::alu_chain, 1);
  const auto state = buffer_of(Pair{1, 0});
  for (const std::uint32_t trips : {0u, 1u, 1000u}) {
    const Nanoseconds time = device->run(*kernel, {.buffers = {state.get()}, .scalars = {trips, 3, 5}, .groups = 1});
    EXPECT_TRUE(std::isfinite(time.count()));
    EXPECT_GE(time.count(), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(, DeviceKernel, test::every_device, test::name_of_device);

/// What only OpenCL can be given: a source, to be built when the program runs.
class OpenclSource : public test::DeviceTest {
 protected:
  std::string refusal(std::string_view name, std::string_view text) {
    const KernelSource source{.name = name, .opencl_c = text, .spirv_addresses = {}, .spirv_descriptors = {}};
    try {
      (void)device->make_kernel(source, 1);
      ADD_FAILURE() << "it was built";
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_P(OpenclSource, ThatDoesNotBuildIsAnErrorWithTheCompilersWords) {
  const std::string reason = refusal("broken", "kernel void broken() { a_word_that_nobody_declared = 1; }");
  EXPECT_NE(reason.find("a_word_that_nobody_declared"), std::string::npos) << reason;
}

TEST_P(OpenclSource, WithoutTheKernelAskedForIsAnError) {
  EXPECT_NE(refusal("missing", "kernel void other(global uint* a) { a[0] = 1; }"), "");
}

INSTANTIATE_TEST_SUITE_P(, OpenclSource, testing::Values("opencl"), test::name_of_device);

}  // namespace
}  // namespace sonde::device
