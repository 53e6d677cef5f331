// The device contract, kernels that do not walk, and launches: every API leaves in memory exactly what the host
// computes. No test looks at a time, except that there is one.

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "driver/device_test.hpp"
#include "item_numbers_addresses.spv.h"
#include "item_numbers_descriptors.spv.h"
#include "kernels.hpp"

namespace sonde::device {
namespace {

constexpr std::uint32_t steps_per_trip = 64;

class DeviceKernel : public test::DeviceTest {};

using Pair = std::array<std::uint32_t, 2>;

// This factor and addend are no probe's and differ from each other, so that exchanged arguments show.
constexpr std::uint32_t factor = 22695477;
constexpr std::uint32_t addend = 12345;

/// The result of kernels/alu_chain.cl, which began with 7.
std::uint32_t end_of_chain(std::uint32_t trips) {
  std::uint32_t x = 7;
  for (std::uint32_t step = 0; step < trips * steps_per_trip; ++step) x = x * factor + addend;
  return x;
}

TEST_P(DeviceKernel, AluChainLeavesWhatTheHostComputes) {
  const auto kernel = device->make_kernel(kernels::alu_chain, 1);
  for (const std::uint32_t trips : {0u, 1u, 1000u}) {
    const auto state = buffer_of(Pair{7, 99});
    (void)device->run(*kernel, {.buffers = {state.get()}, .scalars = {trips, factor, addend}, .groups = 1});
    EXPECT_EQ(test::words_in(*state), (std::vector{end_of_chain(trips), trips})) << trips;
  }
}

TEST_P(DeviceKernel, ClockRateIsTheSameChainBetweenTwoReadingsOfTheCounter) {
  const bool has_counter = device->info().core_clock;
  if (device->info().api == Api::vulkan && !has_counter) GTEST_SKIP() << "no VK_KHR_shader_clock of a subgroup";
  const auto kernel = device->make_kernel(kernels::clock_rate, 1);
  for (const std::uint32_t trips : {0u, 1u, 1000u}) {
    std::array<std::uint32_t, 5> found{7, 99, 5, 5, 0xABCD};
    const auto state = buffer_of(found);
    (void)device->run(*kernel, {.buffers = {state.get()}, .scalars = {trips, factor, addend}, .groups = 1});
    state->read(0, std::as_writable_bytes(std::span(found)));
    EXPECT_EQ((Pair{found[0], found[1]}), (Pair{end_of_chain(trips), trips})) << trips;
    EXPECT_EQ(found[4], 0xABCDu);
    // On any counter a step takes at least a hundredth of a tick, and all of them fit into 31 bits.
    const auto ticks = static_cast<std::int32_t>(found[3] - found[2]);
    if (has_counter) {
      EXPECT_GE(ticks, static_cast<std::int32_t>(trips * steps_per_trip / 100)) << trips;
    } else {
      EXPECT_EQ((Pair{found[2], found[3]}), (Pair{0, 0}));
    }
  }
}

/// One input of kernels/frame_pass.cl, with its five scalars.
struct PassInput {
  std::vector<std::uint32_t> words;
  std::uint32_t rows, times, step, start;

  std::uint32_t vectors() const { return static_cast<std::uint32_t>(words.size() / 4); }
};

/// The target that the kernel must write, computed anew for the tests.
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
  // The last block is not full; reads wrap around the end, also within a row; the third input is a part of a texture.
  constexpr std::uint32_t items = 61;
  const std::vector<PassInput> inputs{
      {noise(items * 3), 3, 2, 7, 0}, {noise(items), 1, 4, 5, 0}, {noise(items * 4), 2, 1, 0, items * 2}};
  for (const std::size_t count : {0u, 1u, 3u}) {
    const std::vector<PassInput> used(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(count));
    for (const std::uint32_t groups : {1u, 3u, 8u}) {
      constexpr std::uint32_t out_rows = 2;
      // The words behind the target must stay unchanged.
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
      EXPECT_EQ(test::words_in(*target), expected) << count << " inputs, " << groups << " groups";
    }
  }
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

/// Launches of a kernel of the tests' own, which the model does not have.
class DeviceGroups : public test::DeviceTest {};

const KernelSource item_numbers{.name = "item_numbers",
                                .opencl_c = R"(
kernel void item_numbers(global uint* numbers, uint factor) {
  numbers[get_global_id(0)] = get_group_id(0) * factor + get_local_id(0);
})",
                                .spirv_addresses = item_numbers_addresses,
                                .spirv_descriptors = item_numbers_descriptors};

TEST_P(DeviceGroups, AreAsManyAndAsLargeAsAskedFor) {
  constexpr std::uint32_t untouched = 0xABCDABCD;
  constexpr std::uint32_t group_factor = 1000;
  for (const std::uint32_t wanted_size : {1u, 8u, 32u}) {
    const std::uint32_t group_size = std::min(wanted_size, device->info().largest_group_size);
    const auto kernel = device->make_kernel(item_numbers, group_size);
    for (const std::uint32_t groups : {1u, 3u, 7u}) {
      std::vector<std::uint32_t> expected(7 * 32 + 1, untouched);
      const auto buffer = device->make_buffer(expected.size() * 4);
      buffer->write(0, std::as_bytes(std::span(expected)));
      (void)device->run(*kernel, {.buffers = {buffer.get()}, .scalars = {group_factor}, .groups = groups});
      for (std::uint32_t item = 0; item < groups * group_size; ++item) {
        expected[item] = item / group_size * group_factor + item % group_size;
      }
      EXPECT_EQ(test::words_in(*buffer), expected) << groups << " groups of " << group_size;
    }
  }
}

// The model runs the probes' kernels only.
INSTANTIATE_TEST_SUITE_P(, DeviceGroups, testing::Values("opencl", "vulkan", "vulkan_descriptors"),
                         test::name_of_device);

/// Kernels from source code, which only OpenCL builds when the program runs.
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
