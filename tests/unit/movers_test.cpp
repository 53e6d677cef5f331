// Threads that move memory in a known way: all of it, and as much as they say.
#include "cpu/movers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "cpu/topology.hpp"

namespace sonde::cpu {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t some_words = 3 << 14;

/// Memory on whole lines, as non-temporal stores need it.
struct alignas(64) Line {
  std::uint64_t words[8] = {};
};

std::vector<int> one_or_two_cores() {
  std::vector<int> cpus;
  for (const Core& core : machine().cores) cpus.push_back(core.cpu);
  cpus.resize(std::min<std::size_t>(cpus.size(), 2));
  return cpus;
}

/// Bytes moved until all threads have been through their part twice, and the memory afterwards.
std::uint64_t moved_by(MoveKind access, std::vector<Line>& memory) {
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(memory));
  const Movers movers(bytes, access, one_or_two_cores());
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (movers.bytes_moved() < 20 * bytes.size() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(milliseconds(1));
  const std::uint64_t before = movers.bytes_moved();
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_GT(movers.bytes_moved(), before);
  return before;
}

TEST(Movers, ReadingChangesNothing) {
  std::vector<Line> memory(some_words / 8);
  EXPECT_GE(moved_by(MoveKind::read, memory), 20 * memory.size() * sizeof(Line));
  for (const Line& line : memory) EXPECT_EQ(line.words[7], 0u);
}

TEST(Movers, WritingReachesEveryWord) {
  for (const MoveKind access : {MoveKind::write, MoveKind::non_temporal_write}) {
    if (!has(access)) continue;
    std::vector<Line> memory(some_words / 8);
    EXPECT_GE(moved_by(access, memory), 20 * memory.size() * sizeof(Line));
    for (const Line& line : memory) {
      for (const std::uint64_t word : line.words) ASSERT_GT(word, 0u);
    }
  }
}

TEST(Movers, WithNoMemoryTheyMoveNothingAndEnd) {
  const Movers movers({}, MoveKind::read, {machine().cores.front().cpu});
  std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(movers.bytes_moved(), 0u);
}

}  // namespace
}  // namespace sonde::cpu
