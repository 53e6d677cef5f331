// The device contract, kinds of memory: kernels read what the CPU writes through its mapping, and the other way round,
// in every kind that the device has; a kind that it lacks has a reason. No test looks at a time.

#include <array>
#include <cstring>
#include <set>
#include <span>
#include <vector>

#include "driver/device_test.hpp"
#include "kernels.hpp"

namespace sonde::device {
namespace {

constexpr std::size_t many_words = 300'001;

class DeviceSharedMemory : public test::DeviceTest {
 protected:
  template <typename Try>
  void with_each_kind(Try attempt) {
    for (const MemoryKind& kind : device->info().memory_kinds) {
      SCOPED_TRACE(kind.name);
      if (kind.missing.empty()) attempt(kind);
    }
  }
};

std::uint32_t word_at(std::span<const std::byte> bytes, std::size_t index) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + index * sizeof word, sizeof word);
  return word;
}

void put(std::span<std::byte> bytes, std::size_t index, std::uint32_t word) {
  std::memcpy(bytes.data() + index * sizeof word, &word, sizeof word);
}

std::uint32_t pattern(std::size_t index) { return static_cast<std::uint32_t>(index * 2654435761u + 12345u); }

TEST_P(DeviceSharedMemory, EveryKindIsNamedOnceAndOneThatIsMissingSaysWhy) {
  const std::vector<MemoryKind>& kinds = device->info().memory_kinds;
  ASSERT_FALSE(kinds.empty());
  EXPECT_TRUE(kinds.front().missing.empty()) << "the first is what every buffer takes";
  std::set<std::string> names;
  for (const MemoryKind& kind : kinds) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    if (kind.missing.empty()) continue;
    try {
      (void)device->make_buffer_in(kind, 4096);
      ADD_FAILURE() << kind.name << " was made";
    } catch (const Unsupported& reason) {
      EXPECT_EQ(reason.what(), kind.missing);
    }
  }
  EXPECT_THROW((void)device->make_buffer_in({.name = "no-such-kind", .missing = ""}, 4096), Unsupported);
}

TEST_P(DeviceSharedMemory, ContentComesBackByReadsAndByMaps) {
  with_each_kind([&](const MemoryKind& kind) {
    const auto buffer = device->make_buffer_in(kind, many_words * 4);
    ASSERT_EQ(buffer->size_bytes(), many_words * 4);
    std::vector<std::uint32_t> words(many_words);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = pattern(i);
    buffer->write(0, std::as_bytes(std::span(words)));
    if (kind.seen_by_cpu) {
      const std::span<const std::byte> seen = buffer->map(Access::read);
      ASSERT_EQ(seen.size(), buffer->size_bytes());
      EXPECT_EQ(std::memcmp(seen.data(), words.data(), seen.size()), 0);
      buffer->unmap();
      const std::span<std::byte> changed = buffer->map(Access::write);
      put(changed, many_words - 1, 77);
      buffer->unmap();
      words.back() = 77;
    } else {
      EXPECT_THROW((void)buffer->map(Access::read), Unsupported);
    }
    std::vector<std::uint32_t> found(many_words);
    buffer->read(0, std::as_writable_bytes(std::span(found)));
    EXPECT_TRUE(found == words);
  });
}

TEST_P(DeviceSharedMemory, BytesBeyondTheEndAreErrors) {
  with_each_kind([&](const MemoryKind& kind) {
    const auto buffer = device->make_buffer_in(kind, many_words * 4);
    std::array<std::byte, 8> eight{};
    EXPECT_THROW(buffer->write(many_words * 4 - 4, eight), Error);
    EXPECT_THROW(buffer->read(many_words * 4 - 4, eight), Error);
  });
}

TEST_P(DeviceSharedMemory, KernelsAndTheCpuSeeEachOthersWordsInTurn) {
  const auto kernel = device->make_kernel(kernels::alu_chain, 1);
  with_each_kind([&](const MemoryKind& kind) {
    if (!kind.seen_by_cpu) return;
    const auto buffer = device->make_buffer_in(kind, many_words * 4);
    for (std::uint32_t round = 1; round <= 3; ++round) {
      const std::span<std::byte> before = buffer->map(Access::write);
      put(before, 0, round);
      put(before, 2, 1000 + round);
      buffer->unmap();
      (void)device->run(*kernel, {.buffers = {buffer.get()}, .scalars = {round, 1, 5}, .groups = 1});
      const std::span<const std::byte> after = buffer->map(Access::read);
      EXPECT_EQ(word_at(after, 0), round + round * 64 * 5);
      EXPECT_EQ(word_at(after, 1), round) << "trips";
      EXPECT_EQ(word_at(after, 2), 1000 + round) << "nobody else's";
      buffer->unmap();
    }
  });
}

TEST_P(DeviceSharedMemory, OneKindsBufferAndAnothersMeetInOneLaunch) {
  // The chain lies in each kind in turn, its cursor in the device's own.
  const auto kernel = device->make_kernel(kernels::chase, 1);
  constexpr std::uint32_t length = 1000;
  std::vector<std::uint32_t> chain(length);
  for (std::uint32_t i = 0; i < length; ++i) chain[i] = (i + 7) % length;
  with_each_kind([&](const MemoryKind& kind) {
    for (const Use use : {Use::storage, Use::bound}) {
      const auto next = device->make_buffer_in(kind, std::uint64_t{length} * 4, use);
      const auto cursor = device->make_buffer(8, use);
      const std::array<std::uint32_t, 2> start{3, 0};
      next->write(0, std::as_bytes(std::span(chain)));
      cursor->write(0, std::as_bytes(std::span(start)));
      (void)device->run(*kernel, {.buffers = {next.get(), cursor.get()}, .scalars = {10}, .groups = 1});
      std::array<std::uint32_t, 2> end{};
      cursor->read(0, std::as_writable_bytes(std::span(end)));
      EXPECT_EQ(end[0], (3 + 80u * 7) % length);
      EXPECT_EQ(end[1], 10u);
    }
  });
}

TEST_P(DeviceSharedMemory, TouchWritesAndFindsJustTheWordsItIsToldTo) {
  constexpr std::uint32_t growth = 0x9E3779B9u;
  struct Case {
    std::uint32_t first, step, count, each, item_step, loop_step;
  };
  constexpr std::uint32_t group_size = 4;
  constexpr std::uint32_t groups = 3;
  const auto kernel = device->make_kernel(kernels::touch, group_size);
  for (const Case& one : {Case{5, 1, 1, 1, 1, 12}, Case{3, 7, 30, 3, 1, 12}, Case{3, 7, 30, 3, 3, 1},
                          Case{0, 1, 1000, 84, 1, 12}, Case{0, 1, 1000, 84, 84, 1}}) {
    std::vector<std::uint32_t> words(1001);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = pattern(i);
    const auto buffer = device->make_buffer(words.size() * 4);
    const auto sums = device->make_buffer((std::uint64_t{group_size} * groups + 1) * 4);
    buffer->write(0, std::as_bytes(std::span(words)));
    std::vector<std::uint32_t> expected(group_size * groups + 1, 0xABCD);
    for (const std::uint32_t stores : {0u, 1u}) {
      sums->write(0, std::as_bytes(std::span(expected)));
      (void)device->run(
          *kernel, {.buffers = {buffer.get(), sums.get()},
                    .scalars = {one.first, one.step, one.count, one.each, one.item_step, one.loop_step, 99, stores},
                    .groups = groups});
      for (std::uint32_t item = 0; item < group_size * groups; ++item) {
        expected[item] = 0;
        for (std::uint32_t turn = 0; turn < one.each; ++turn) {
          const std::uint32_t i = item * one.item_step + turn * one.loop_step;
          if (i >= one.count) continue;
          std::uint32_t& word = words[one.first + i * one.step];
          expected[item] += stores != 0 ? 1 : word * (2 * i + 1);
          if (stores != 0) word = 99 + i * growth;
        }
      }
      EXPECT_EQ(test::words_in(*sums), expected) << one.count << (stores != 0 ? " written" : " read");
      EXPECT_EQ(test::words_in(*buffer), words) << one.count << (stores != 0 ? " written" : " read");
    }
  }
}

TEST_P(DeviceSharedMemory, OneThatIsTooLargeIsUnsupported) {
  with_each_kind(
      [&](const MemoryKind& kind) { EXPECT_THROW((void)device->make_buffer_in(kind, 1ull << 46), Unsupported); });
}

TEST_P(DeviceSharedMemory, TheDeviceAnswersTheCpuEveryTimeOrSaysWhyNot) {
  try {
    for (const std::uint32_t count : {1u, 50u}) {
      const std::vector<Nanoseconds> times = device->round_trips(count);
      EXPECT_EQ(times.size(), count);
      for (const Nanoseconds time : times) EXPECT_GT(time.count(), 0);
    }
  } catch (const Unsupported& reason) {
    EXPECT_FALSE(std::string(reason.what()).empty());
    EXPECT_TRUE(device->info().type == DeviceType::model || device->info().platform == "rusticl") << reason.what();
  }
}

TEST_P(DeviceSharedMemory, TheHostsClockNeverRunsBackwards) {
  Nanoseconds last = device->host_time();
  const auto kernel = device->make_kernel(kernels::alu_chain, 1);
  const auto state = device->make_buffer(8);
  for (int i = 0; i < 3; ++i) {
    const Nanoseconds work = device->run(*kernel, {.buffers = {state.get()}, .scalars = {1000, 3, 5}, .groups = 1});
    const Nanoseconds now = device->host_time();
    EXPECT_GE((now - last).count(), work.count() * 0.5) << "a dispatch takes the host's time, too";
    last = now;
  }
}

INSTANTIATE_TEST_SUITE_P(, DeviceSharedMemory, test::every_device, test::name_of_device);

}  // namespace
}  // namespace sonde::device
