#include "workloads/walk/walk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>
#include <span>
#include <vector>

#include "support/scripted_device.hpp"

namespace sonde::workloads {
namespace {

using test::HostBuffer;

TEST(RandomCycle, IsOneCycleOverAllLinesForEverySizeAndSeed) {
  for (const std::uint32_t count : {1u, 2u, 3u, 7u, 16u, 100u, 1023u, 65536u, 100003u}) {
    for (const std::uint64_t seed : {0ull, 1ull, 12345ull, ~0ull}) {
      const auto cycle = random_cycle(count, seed);
      std::uint32_t line = 0;
      std::uint32_t length = 0;
      do {
        line = cycle.at(line);
        ++length;
      } while (line != 0 && length <= count);
      EXPECT_EQ(length, count) << "seed " << seed;
    }
  }
}

TEST(RandomCycle, IsTheSameOnEveryPlatform) {
  // From another implementation of MT19937-64 and of Sattolo's shuffle.
  const std::vector<std::uint32_t> known{6, 9, 3, 10, 8, 7, 5, 2, 0, 4, 11, 1};
  EXPECT_EQ(random_cycle(12, 1), known);
}

TEST(RandomCycle, DiffersBySeedAlone) {
  EXPECT_EQ(random_cycle(1000, 5), random_cycle(1000, 5));
  EXPECT_NE(random_cycle(1000, 5), random_cycle(1000, 6));
}

TEST(RandomCycle, HardlyEverGoesToTheNextLine) {
  const auto cycle = random_cycle(10000, 1);
  int neighbours = 0;
  for (std::uint32_t line = 0; line < cycle.size(); ++line) {
    const std::uint32_t distance = cycle[line] > line ? cycle[line] - line : line - cycle[line];
    if (distance <= 1) ++neighbours;
  }
  EXPECT_LT(neighbours, 20);  // 2 are expected of a random cycle, 10,000 of a sequential one
}

TEST(Places, AreWhereTheWalkIsAfterSoManyHops) {
  const auto cycle = random_cycle(1000, 3);
  auto places = cycle;
  ASSERT_TRUE(cycle_to_places(places));
  std::uint32_t line = 0;
  for (std::uint32_t hop = 0; hop < 1000; ++hop) {
    ASSERT_EQ(places[line], hop);
    line = cycle[line];
  }
}

TEST(Places, OfOneLineIsZero) {
  std::vector<std::uint32_t> one{0};
  EXPECT_TRUE(cycle_to_places(one));
  EXPECT_EQ(one[0], 0u);
}

TEST(Places, RejectTwoHalfCyclesAndALineThatStaysPut) {
  std::vector<std::uint32_t> halves{1, 0, 3, 2};
  EXPECT_FALSE(cycle_to_places(halves));
  std::vector<std::uint32_t> stays{0, 2, 1};
  EXPECT_FALSE(cycle_to_places(stays));
}

class WrittenCycle : public testing::TestWithParam<std::uint32_t> {};

TEST_P(WrittenCycle, HasTheNextLinesIndexAtEachLinesStart) {
  const std::uint32_t line_bytes = GetParam();
  const std::uint32_t words_per_line = line_bytes / 4;
  // A bit more than one piece of 4 MiB, so that its end and the shorter second piece are looked at.
  const auto count = static_cast<std::uint32_t>((4u << 20) / line_bytes + 37);
  const auto cycle = random_cycle(count, 9);
  HostBuffer buffer(std::uint64_t{count} * line_bytes);
  write_cycle(buffer, cycle, line_bytes, 9);
  for (std::uint32_t line = 0; line < count; ++line) {
    ASSERT_EQ(buffer.words[std::size_t{line} * words_per_line], cycle[line] * words_per_line) << line;
  }
  EXPECT_EQ(buffer.write_offsets, (std::vector<std::uint64_t>{0, 4u << 20}));
}

TEST(WrittenPages, HaveOneLineEachAtAPlaceOfItsOwn) {
  constexpr std::uint32_t page_bytes = 4096;
  const LineLayout layout(page_bytes, 64, 2000, 11);
  const auto cycle = random_cycle(2000, 9);
  HostBuffer buffer(std::uint64_t{2000} * page_bytes);
  write_cycle(buffer, cycle, layout, 9);
  std::vector<int> lines_of_pages(page_bytes / 64);
  for (std::uint32_t page = 0; page < 2000; ++page) {
    const std::uint32_t word = layout.word_of(page);
    ASSERT_EQ(word / (page_bytes / 4), page);
    ASSERT_EQ(word % 16, 0u) << "not at the start of a line";
    ASSERT_EQ(layout.slot_of(word), page);
    ASSERT_EQ(buffer.words[word], layout.word_of(cycle[page]));
    ++lines_of_pages[word % (page_bytes / 4) / 16];
  }
  EXPECT_LE(*std::ranges::max_element(lines_of_pages), 60);
  // The same sets of a cache must not take all of them. Each page's line is one of 16, which begin at the 49 places
  // before the last 15 in turn: 41 pages for each place that all 16 reach, fewer towards the page's ends.
  int place = 0;
  for (const int lines : lines_of_pages) {
    const double pages = 2000.0 / 49 / 16 * (std::min(place, 48) - std::max(0, place - 15) + 1);
    EXPECT_NEAR(lines, pages, 4 * std::sqrt(pages)) << place;
    ++place;
  }
}

TEST(WrittenPages, AreNearlyAsManyAsTheySayWhereverTheMemoryBegins) {
  constexpr std::uint32_t page_bytes = 4096;
  for (const std::uint32_t count : {16u, 128u, 2000u}) {
    const LineLayout layout(page_bytes, 64, count, 1);
    for (std::uint32_t begin = 0; begin < page_bytes; begin += 64) {
      std::set<std::uint32_t> pages;
      for (std::uint32_t slot = 0; slot < count; ++slot) pages.insert((begin + 4 * layout.word_of(slot)) / page_bytes);
      ASSERT_GE(pages.size(), 0.87 * count) << "memory that begins " << begin << " bytes into a page";
      if (begin == 0) {
        ASSERT_EQ(pages.size(), count);
      }
    }
  }
}

// Lines at the same distance from page to page meet in few sets of a cache whose number of sets is not a power of two.
TEST(WrittenPages, AreInStepWithNoCachesSets) {
  for (const std::uint32_t line_bytes : {64u, 128u}) {
    for (const std::uint32_t count : {256u, 512u, 1024u, 2048u}) {
      const LineLayout layout(4096, line_bytes, count, 1);
      for (std::uint32_t sets = 64; sets < 2048; ++sets) {
        std::vector<int> lines(sets);
        for (std::uint32_t slot = 0; slot < count; ++slot) ++lines[4 * layout.word_of(slot) / line_bytes % sets];
        const double mean = static_cast<double>(count) / sets;
        ASSERT_LE(*std::ranges::max_element(lines), 10 + 3 * mean) << count << " pages in " << sets << " sets";
      }
    }
  }
}

// Nobody could wait for what lies between lines that are far apart, and nobody reads it.
TEST(WrittenPages, OfManyMegabytesHaveABlockWrittenAboutEachLine) {
  constexpr std::uint32_t stride_bytes = 256 << 10;
  const LineLayout layout(stride_bytes, 64, 64, 11);
  const auto cycle = random_cycle(64, 9);
  HostBuffer buffer(std::uint64_t{64} * stride_bytes);
  write_cycle(buffer, cycle, layout, 9, 0);
  EXPECT_EQ(buffer.write_offsets.size(), 64u);
  for (std::uint32_t slot = 0; slot < 64; ++slot) {
    const std::uint32_t word = layout.word_of(slot);
    ASSERT_EQ(buffer.words[word], 4 * layout.word_of(cycle[slot])) << "offsets in bytes";
    const auto block = std::span(buffer.words).subspan(std::size_t{word} / 1024 * 1024, 1024);
    EXPECT_LE(std::ranges::count(block, 0u), 1) << "a block that could be compressed";
  }
  EXPECT_GE(std::ranges::count(buffer.words, 0u), 64 * (stride_bytes / 4 - 1024));
}

/// Keeps what was written last.
class LastPiece final : public device::Buffer {
 public:
  explicit LastPiece(std::uint64_t size_bytes) : size_bytes_(size_bytes) {}
  [[nodiscard]] std::uint64_t size_bytes() const override { return size_bytes_; }
  void write(std::uint64_t offset_bytes, std::span<const std::byte> bytes) override {
    first_word = offset_bytes / 4;
    words.resize(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), bytes.size());
  }
  void read(std::uint64_t, std::span<std::byte>) override {}

  std::uint64_t first_word = 0;
  std::vector<std::uint32_t> words;

 private:
  std::uint64_t size_bytes_;
};

TEST(WrittenPages, OfMoreThanFourGigabytesHaveTheirLinesWhereTheyBelong) {
  constexpr std::uint32_t page_bytes = 4096;
  constexpr std::uint32_t count = (1u << 20) + 5;
  const LineLayout layout(page_bytes, 64, count, 11);
  std::vector<std::uint32_t> cycle(count);
  for (std::uint32_t slot = 0; slot < count; ++slot) cycle[slot] = (slot + 1) % count;
  LastPiece buffer(std::uint64_t{count} * page_bytes);
  write_cycle(buffer, cycle, layout, 9);
  for (std::uint32_t slot = 1 << 20; slot < count; ++slot) {
    ASSERT_EQ(buffer.words.at(layout.word_of(slot) - buffer.first_word), layout.word_of(cycle[slot])) << slot;
  }
}

TEST(WrittenWords, AreThoseThatTheHostComputes) {
  constexpr std::uint32_t count = (4u << 20) / 64 + 5;
  HostBuffer buffer(std::uint64_t{count} * 64);
  write_words(buffer, count, 64, 3);
  for (std::uint32_t line = 0; line < count; ++line) {
    ASSERT_EQ(buffer.words[std::size_t{line} * 16], word_of_line(line, 3)) << line;
  }
  EXPECT_NE(word_of_line(0, 3), word_of_line(0, 4));
  EXPECT_NE(word_of_line(0, 3), word_of_line(1, 3));
}

TEST_P(WrittenCycle, FillsTheRestWithWhatNobodyCanCompress) {
  const std::uint32_t line_bytes = GetParam();
  const std::uint32_t words_per_line = line_bytes / 4;
  const std::uint32_t count = (5u << 20) / line_bytes;
  HostBuffer buffer(std::uint64_t{count} * line_bytes);
  write_cycle(buffer, random_cycle(count, 9), line_bytes, 9);
  std::vector<std::uint32_t> rest;
  for (std::size_t word = 0; word < buffer.words.size(); ++word) {
    if (word % words_per_line != 0) rest.push_back(buffer.words[word]);
  }
  std::array<double, 256> histogram{};
  for (const std::uint32_t word : rest) {
    for (int shift = 0; shift < 32; shift += 8) ++histogram[word >> shift & 0xFF];
  }
  const double expected = static_cast<double>(rest.size()) * 4 / 256;
  for (const double seen : histogram) EXPECT_NEAR(seen / expected, 1, 0.05);
  // Nor does it repeat, within a piece or from one piece to the next: 1.2 million 32-bit words, 165 pairs by
  // chance.
  std::sort(rest.begin(), rest.end());
  const auto distinct = std::unique(rest.begin(), rest.end()) - rest.begin();
  EXPECT_GT(static_cast<double>(distinct), 0.999 * static_cast<double>(rest.size()));
}

INSTANTIATE_TEST_SUITE_P(Lines, WrittenCycle, testing::Values(64u, 128u),
                         [](const auto& line) { return std::to_string(line.param) + "Bytes"; });

}  // namespace
}  // namespace sonde::workloads
