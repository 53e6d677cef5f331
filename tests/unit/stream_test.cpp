// The streams of the bandwidth probe on simulated devices: they move what they say they move at the rate of the level
// that serves it, and notice a device that does not do its work.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "device/model/model.hpp"
#include "workloads/stream/stream.hpp"
#include "workloads/stream/stream_walk.hpp"

namespace sonde::workloads {
namespace {

using measure::Path;

constexpr std::uint64_t kib = 1024;

device::model::Description two_levels() {
  device::model::Description model;
  model.name = "two levels";
  model.compute_units = 4;
  model.saturated_by = 4;
  model.launch_ns = 5000;
  model.timer_step_ns = 0.001;
  model.clock_mhz = 2000;
  model.local_latency_ns = 10;
  model.memory_bytes = 1ull << 30;
  model.levels.resize(3);
  model.levels[0] = {.bytes = 16 * kib,
                     .line_bytes = 128,
                     .ways = 8,
                     .scope = device::model::Scope::compute_unit,
                     .latency_ns = 40,
                     .read_gbps = 1000,
                     .write_gbps = 400};
  model.levels[1] = {
      .bytes = 512 * kib, .line_bytes = 128, .ways = 16, .latency_ns = 100, .read_gbps = 300, .write_gbps = 200};
  model.levels[2] = {.latency_ns = 300, .read_gbps = 50, .write_gbps = 40};
  return model;
}

constexpr StreamShape usual{.group_size = 16, .groups = 4, .vector_words = 4, .in_flight = 4, .interleaved = false};

double gbps(device::Device& device, Pattern pattern, Sharing sharing, std::uint64_t bytes, StreamShape shape = usual,
            std::uint64_t laps = 2, Path path = Path::buffer) {
  const measure::Workload workload = stream(device, pattern, sharing, shape, bytes, 3, {}, path);
  const auto& work = std::get<measure::SteppedWork>(workload.work);
  for (int lap = 0; lap < 2; ++lap) (void)work.run(work.lap);
  EXPECT_EQ(work.proof_failure(), std::nullopt);
  const double few = work.run(1).count();
  const double many = work.run(laps * work.lap + 1).count();
  EXPECT_EQ(work.proof_failure(), std::nullopt);
  return work.value((many - few) / static_cast<double>(laps * work.lap));
}

TEST(Stream, ReadsAtTheRateOfTheLevelThatServesIt) {
  const auto device = device::model::open(two_levels());
  // Four slices, each in the first level of a unit of its own; a shared set has to fit in each of them.
  EXPECT_NEAR(gbps(*device, Pattern::read, Sharing::separate, 32 * kib), 1000, 1);
  EXPECT_NEAR(gbps(*device, Pattern::read, Sharing::shared, 8 * kib), 1000, 1);
  EXPECT_NEAR(gbps(*device, Pattern::read, Sharing::shared, 32 * kib), 300, 1);
  EXPECT_NEAR(gbps(*device, Pattern::read, Sharing::separate, 256 * kib), 300, 1);
  EXPECT_NEAR(gbps(*device, Pattern::read, Sharing::separate, 4096 * kib), 50, 1);
}

TEST(Stream, ReadsThroughTheTextureUnitAndFromLocalMemory) {
  const auto device = device::model::open(two_levels());
  EXPECT_NEAR(gbps(*device, Pattern::read, Sharing::separate, 32 * kib, usual, 2, Path::image), 1000, 1);
  EXPECT_NEAR(gbps(*device, Pattern::read, Sharing::separate, 4096 * kib, usual, 2, Path::image), 50, 1);
  const auto local_gbps = [&](std::uint64_t bytes, const StreamShape& shape) {
    return gbps(*device, Pattern::read, Sharing::separate, bytes, shape, 500, Path::local);
  };
  // 128 bytes a cycle from each of four units; of twice as many groups two share one.
  EXPECT_NEAR(local_gbps(64 * kib, usual), 4 * 128 * 2, 1);
  StreamShape twice = usual;
  twice.groups = 8;
  EXPECT_NEAR(local_gbps(64 * kib, twice), 4 * 128 * 2, 1);
  EXPECT_THROW((void)local_gbps(128 * kib, usual), device::Unsupported);
}

TEST(Stream, WithoutLocalMemoryNothingIsReadFromIt) {
  device::model::Description model = two_levels();
  model.local_latency_ns = 0;
  const auto device = device::model::open(model);
  try {
    (void)gbps(*device, Pattern::read, Sharing::separate, 64 * kib, usual, 2, Path::local);
    FAIL();
  } catch (const device::Unsupported& reason) {
    EXPECT_STREQ(reason.what(), "the device has no work-group memory of its own");
  }
}

TEST(Stream, CountsWhatTheProgramMoves) {
  const auto device = device::model::open(two_levels());
  // Reads and writes overlap: the longer of the two is what it takes.
  EXPECT_NEAR(gbps(*device, Pattern::write, Sharing::separate, 4096 * kib), 40, 1);
  EXPECT_NEAR(gbps(*device, Pattern::copy, Sharing::separate, 4096 * kib), 2 * 40, 1);
  EXPECT_NEAR(gbps(*device, Pattern::add, Sharing::separate, 6144 * kib), 3 * 25, 1);
  EXPECT_NEAR(gbps(*device, Pattern::triad, Sharing::separate, 6144 * kib), 3 * 25, 1);
}

TEST(Stream, FewerGroupsThanSaturateGetTheirShare) {
  const auto device = device::model::open(two_levels());
  StreamShape one = usual;
  one.groups = 1;
  EXPECT_NEAR(gbps(*device, Pattern::read, Sharing::separate, 4096 * kib, one), 12.5, 0.2);
}

TEST(Stream, InterleavedGroupsMoveTheSame) {
  const auto device = device::model::open(two_levels());
  StreamShape in_turn = usual;
  in_turn.interleaved = true;
  for (const Pattern pattern : {Pattern::read, Pattern::write, Pattern::copy, Pattern::add, Pattern::triad}) {
    EXPECT_NEAR(gbps(*device, pattern, Sharing::separate, 6144 * kib, in_turn),
                gbps(*device, pattern, Sharing::separate, 6144 * kib), 0.5)
        << measure::word_of(pattern);
  }
}

TEST(Stream, AShapeIsCutDownToWhatFits) {
  for (const std::uint64_t bytes : {512u, 1024u, 4096u, 65536u, 1u << 20}) {
    for (const Sharing sharing : {Sharing::shared, Sharing::separate}) {
      const StreamShape wish{.group_size = 256, .groups = 132, .vector_words = 4, .in_flight = 8};
      const StreamWalk walk(fitted(wish, sharing, bytes), sharing, bytes);
      EXPECT_LE(walk.array_bytes(), bytes);
      EXPECT_GE(static_cast<double>(walk.array_bytes()), 0.99 * static_cast<double>(bytes));
    }
  }
  EXPECT_EQ(fitted(usual, Sharing::separate, 64 * kib), usual);
}

TEST(Stream, GroupsThatWalkOverTheSameBeginEvenly) {
  for (const std::uint32_t groups : {1u, 3u, 40u, 132u}) {
    for (const std::uint32_t blocks : {1u, 34u, 64u, 96u, 132u, 832u, 5000u}) {
      const StreamShape shape{.group_size = 32, .groups = groups};
      const StreamWalk walk(shape, Sharing::shared, std::uint64_t{blocks} * shape.block_words() * 4);
      ASSERT_EQ(walk.blocks, blocks);
      std::vector<std::uint32_t> begins;
      for (std::uint32_t group = 0; group < groups; ++group) begins.push_back(walk.position(group, 0));
      std::ranges::sort(begins);
      begins.push_back(begins.front() + blocks);
      for (std::uint32_t group = 0; group < groups; ++group) {
        const std::uint32_t apart = begins[group + 1] - begins[group];
        EXPECT_GE(apart, blocks / groups) << groups << " groups over " << blocks;
        if (blocks >= groups) {
          EXPECT_LE(apart, blocks / groups + 1) << groups << " groups over " << blocks;
        }
      }
    }
  }
}

TEST(Stream, BlocksAreCutSoThatNoGroupFollowsAnotherClosely) {
  const StreamShape wish{.group_size = 512, .groups = 40};  // blocks of 8 KiB
  // 48 blocks for 40 groups: 8 of them would begin two blocks before the next, 32 but one.
  EXPECT_EQ(fitted(wish, Sharing::shared, 384 * kib).group_size, 128u);
  EXPECT_EQ(fitted(wish, Sharing::shared, 512 * kib).group_size, 256u);
  EXPECT_EQ(fitted(wish, Sharing::shared, 640 * kib), wish);
  EXPECT_EQ(fitted(wish, Sharing::shared, 8192 * kib), wish);
  // What is in flight first; where each has a part of its own nothing is cut.
  const StreamShape in_flight{.group_size = 256, .groups = 40, .in_flight = 2};
  EXPECT_EQ(fitted(in_flight, Sharing::shared, 512 * kib).in_flight, 1u);
  EXPECT_EQ(fitted(in_flight, Sharing::shared, 512 * kib).group_size, 256u);
  EXPECT_EQ(fitted(wish, Sharing::separate, 640 * kib), wish);
}

/// A shared walk of which each group takes the blocks in an order of its own.
StreamShape scattered(std::uint32_t groups) {
  return {.group_size = 16, .groups = groups, .vector_words = 4, .in_flight = 2, .scattered = true};
}

TEST(Stream, AScatteredWalkIsOverEachBlockOnceALapWhateverTheGroup) {
  for (const std::uint64_t blocks : {1u, 7u, 12u, 64u, 17u * 8}) {
    const StreamWalk walk(scattered(9), Sharing::shared, blocks * 512);
    ASSERT_EQ(walk.blocks, blocks);
    std::set<std::vector<std::uint64_t>> orders;
    for (std::uint32_t group = 0; group < 9; ++group) {
      std::vector<std::uint64_t> order;
      for (std::uint32_t turn = 0; turn < blocks; ++turn)
        order.push_back(walk.piece_at(group, (walk.position(0, 0) + turn) % walk.blocks, 0));
      orders.insert(order);
      std::ranges::sort(order);
      for (std::uint64_t block = 0; block < blocks; ++block) EXPECT_EQ(order[block], block) << group;
    }
    // There are as many orders as odd steps below the power of two in the number of blocks.
    EXPECT_EQ(orders.size(), std::clamp<std::uint64_t>((walk.scatter + 1) / 2, 1, 9)) << blocks;
  }
  EXPECT_EQ(StreamWalk(scattered(9), Sharing::shared, 64 * 512).scatter, 63u);
  EXPECT_EQ(StreamWalk(scattered(9), Sharing::separate, 64 * 9 * 512).scatter, 0u);
}

TEST(Stream, SumsOfAScatteredWalkAreThoseOfItsBlocks) {
  for (const std::uint64_t blocks : {7u, 12u, 64u, 17u * 8}) {
    const StreamWalk walk(scattered(5), Sharing::shared, blocks * 512);
    std::vector<std::uint32_t> pieces;
    for (std::uint32_t block = 0; block < blocks; ++block) pieces.push_back(1u << block % 31 | block * 7919u);
    const StretchSums sums(walk, pieces);
    for (std::uint32_t group = 0; group < 5; ++group) {
      for (const std::uint32_t position : {0u, 3u, static_cast<std::uint32_t>(blocks - 1)}) {
        std::uint32_t expected = 0;
        for (std::uint32_t trips = 0; trips < 3 * blocks; ++trips) {
          ASSERT_EQ(sums.sum(group, position, trips), expected) << blocks << ' ' << group << ' ' << trips;
          expected += pieces[walk.piece_at(group, (position + trips) % walk.blocks, 0)];
        }
      }
    }
  }
}

TEST(Stream, WhatCannotBeHeldIsReadFromFurtherAwayThoughOthersReadItToo) {
  const auto device = device::model::open(two_levels());
  StreamShape shape = usual;
  shape.scattered = true;
  EXPECT_NEAR(gbps(*device, Pattern::read, Sharing::shared, 32 * kib, shape), 300, 1);
  // A group with an order of its own finds in the cache only what it holds of the whole.
  EXPECT_LT(gbps(*device, Pattern::read, Sharing::shared, 4096 * kib, shape), 60);
}

TEST(Stream, AShapeSurvivesTheRecord) {
  StreamShape shape = usual;
  shape.interleaved = true;
  EXPECT_EQ(shape_of(named(shape)), shape);
}

/// A device whose launches are tampered with, or whose memory is after them.
class Faulty final : public device::Device {
 public:
  std::function<void(device::Launch&)> before = [](device::Launch&) {};
  std::function<void(const device::Launch&)> after = [](const device::Launch&) {};

  [[nodiscard]] const device::DeviceInfo& info() const override { return sound_->info(); }
  [[nodiscard]] std::uint64_t available_bytes() override { return sound_->available_bytes(); }
  [[nodiscard]] std::unique_ptr<device::Buffer> make_buffer(std::uint64_t size_bytes, device::Use use) override {
    return sound_->make_buffer(size_bytes, use);
  }
  [[nodiscard]] std::unique_ptr<device::Kernel> make_kernel(const device::KernelSource& source,
                                                            std::uint32_t group_size,
                                                            std::span<const device::Constant> constants) override {
    return sound_->make_kernel(source, group_size, constants);
  }
  device::Nanoseconds run(device::Kernel& kernel, const device::Launch& launch) override {
    device::Launch changed = launch;
    before(changed);
    const device::Nanoseconds time = sound_->run(kernel, changed);
    after(changed);
    return time;
  }

 private:
  std::unique_ptr<device::Device> sound_ = device::model::open(two_levels());
};

/// A pattern by the path of buffers, or reading by another.
class EveryPattern : public testing::TestWithParam<std::pair<Pattern, Path>> {
 protected:
  /// Whether the proof of a dispatch with the fault fails after sound ones.
  bool noticed(const std::function<void(device::Launch&)>& before,
               const std::function<void(const device::Launch&)>& after) {
    Faulty device;
    const auto [pattern, path] = GetParam();
    const std::uint64_t bytes = path == Path::local ? 64 * kib : 192 * kib;  // as much as groups may have
    const measure::Workload workload = stream(device, pattern, Sharing::separate, usual, bytes, 3, {}, path);
    const auto& work = std::get<measure::SteppedWork>(workload.work);
    for (const std::uint64_t trips : {work.lap, 2 * work.lap + 1, std::uint64_t{1}}) {
      (void)work.run(trips);
      EXPECT_EQ(work.proof_failure(), std::nullopt);
    }
    device.before = before;
    device.after = after;
    (void)work.run(work.lap);
    return work.proof_failure().has_value();
  }
  static void nothing(device::Launch&) {}
  static void nothing_after(const device::Launch&) {}
};

TEST_P(EveryPattern, NoticesALoopThatEndsEarly) {
  EXPECT_TRUE(noticed([](device::Launch& launch) { --launch.scalars[0]; }, nothing_after));
  EXPECT_TRUE(noticed([](device::Launch& launch) { launch.scalars[0] = 0; }, nothing_after));
}

TEST_P(EveryPattern, NoticesAGroupThatDidNotRun) {
  EXPECT_TRUE(noticed([](device::Launch& launch) { --launch.groups; }, nothing_after));
}

TEST_P(EveryPattern, NoticesAWordThatIsWrongSomewhere) {
  // The fourth dispatch is one after which all is looked at.
  EXPECT_TRUE(noticed(nothing, [](const device::Launch& launch) {
    device::Buffer& last = *launch.buffers.back();
    std::uint32_t word = 0;
    const std::uint64_t middle = last.size_bytes() / 8 * 4 + 4;
    last.read(middle, std::as_writable_bytes(std::span(&word, 1)));
    ++word;
    last.write(middle, std::as_bytes(std::span(&word, 1)));
  }));
}

INSTANTIATE_TEST_SUITE_P(, EveryPattern,
                         testing::Values(std::pair(Pattern::read, Path::buffer),
                                         std::pair(Pattern::write, Path::buffer),
                                         std::pair(Pattern::copy, Path::buffer), std::pair(Pattern::add, Path::buffer),
                                         std::pair(Pattern::triad, Path::buffer), std::pair(Pattern::read, Path::image),
                                         std::pair(Pattern::read, Path::local)),
                         [](const auto& one) {
                           return std::string(measure::word_of(one.param.first)) +
                                  std::string(measure::word_of(one.param.second));
                         });

}  // namespace
}  // namespace sonde::workloads
