// Cycles of which much is not known: one size per octave; the first sizes of a run that goes on; an end in a climb; no
// other walk beside them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "analysis/levels/levels.hpp"

namespace sonde::analysis {
namespace {

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;

LatencyCurves curves_of(const std::vector<std::pair<double, double>>& measured) {
  LatencyCurves curves;
  for (const auto& [bytes, ns] : measured) {
    std::vector<double> values;
    for (const double of_median : {0.99, 0.995, 0.998, 1.0, 1.002, 1.005, 1.01}) values.push_back(of_median * ns);
    curves.cycle.push_back({bytes, values});
  }
  return curves;
}

/// A server's core with 48 KiB and 2 MiB, and what others leave of 260 MiB.
LatencyCurves one_size_per_octave() {
  const std::vector<std::pair<double, double>> measured{{32 * kib, 1.696},  {64 * kib, 5.395},  {128 * kib, 5.356},
                                                        {256 * kib, 5.413}, {512 * kib, 5.997}, {mib, 6.899},
                                                        {2 * mib, 17.27},   {4 * mib, 34.99},   {8 * mib, 81.65},
                                                        {16 * mib, 120.2},  {32 * mib, 130.7},  {64 * mib, 133.7}};
  return curves_of(measured);
}

TEST(LevelsOfASparseCycle, AreNotLargerThanWhatTheyWereSeenToHold) {
  const Hierarchy found = find_levels(one_size_per_octave());
  ASSERT_GE(found.levels.size(), 2u);
  const Level& second = found.levels[1];
  EXPECT_NEAR(second.latency_ns.value, 5.4, 0.3);
  ASSERT_TRUE(second.bytes.has_value());
  EXPECT_LT(second.bytes->value, 2 * mib) << "which was three times as slow already";
  EXPECT_GE(second.bytes->value, 512 * kib);
  EXPECT_LE(second.bytes->low, 2 * mib);
  EXPECT_GE(second.bytes->high, 2 * mib) << "the truth lies between two of the sizes";
}

/// Measured on a small core (Lunar Lake's kind, published table): 32 KiB, a table of 32 pages, 2 MiB, memory.
LatencyCurves behind_a_table_of_pages() {
  LatencyCurves curves = curves_of({{4 * kib, 1.206},
                                    {8 * kib, 1.206},
                                    {16 * kib, 1.206},
                                    {32 * kib, 1.21},
                                    {64 * kib, 8.018},
                                    {128 * kib, 8.179},
                                    {256 * kib, 11.65},
                                    {512 * kib, 11.66},
                                    {mib, 11.67},
                                    {2 * mib, 122.9},
                                    {4 * mib, 157.2},
                                    {8 * mib, 160.9},
                                    {16 * mib, 171.7},
                                    {32 * mib, 182.4}});
  curves.cpu_page_bytes = 4096;
  return curves;
}

TEST(LevelsOfASparseCycle, AreNotEndedByWhatMayBeATableOfPagesOfACpu) {
  const Hierarchy found = find_levels(behind_a_table_of_pages());
  ASSERT_EQ(found.levels.size(), 3u);
  EXPECT_TRUE(found.levels[1].bytes->low <= 2 * mib && found.levels[1].bytes->high >= mib);
  LatencyCurves of_gpu = behind_a_table_of_pages();
  of_gpu.cpu_page_bytes = 0;
  EXPECT_EQ(find_levels(of_gpu).levels.size(), 4u) << "whose pages are larger, so that the step is a cache's";
}

/// Measured on a large core (Meteor Lake, published table) with 48 KiB, 2 MiB and 24 MiB; its first table has 96 pages.
LatencyCurves with_a_table_within_the_second_level() {
  LatencyCurves curves = curves_of({{4 * kib, 1.05},
                                    {8 * kib, 1.05},
                                    {16 * kib, 1.04},
                                    {32 * kib, 1.05},
                                    {64 * kib, 3.34},
                                    {128 * kib, 3.34},
                                    {256 * kib, 3.35},
                                    {512 * kib, 4.81},
                                    {mib, 4.81},
                                    {2 * mib, 9.42},
                                    {4 * mib, 16.4},
                                    {8 * mib, 17.4},
                                    {16 * mib, 21.5},
                                    {32 * mib, 60.9},
                                    {64 * mib, 103},
                                    {128 * mib, 125}});
  curves.cpu_page_bytes = 4096;
  return curves;
}

TEST(LevelsOfASparseCycle, AreNotSmallerThanTheyAreForATableOfPagesOfACpu) {
  const Hierarchy found = find_levels(with_a_table_within_the_second_level());
  ASSERT_EQ(found.levels.size(), 4u);
  EXPECT_GE(found.levels[1].bytes->value, mib);
  EXPECT_LE(found.levels[1].bytes->value, 2.6 * mib);
  LatencyCurves of_gpu = with_a_table_within_the_second_level();
  of_gpu.cpu_page_bytes = 0;
  EXPECT_LT(find_levels(of_gpu).levels[1].bytes->value, 512 * kib) << "where the step is that of the second cache";
}

/// Four sizes an octave of a core with 32 KiB and 1 MiB and what others leave of its third cache; far into memory a
/// load waits for its page's entry too.
LatencyCurves with_page_entries_in_memory(double third_bytes) {
  std::vector<std::pair<double, double>> measured;
  for (double bytes = 4 * kib; bytes <= 64 * mib; bytes *= std::exp2(0.25)) {
    const double ns = bytes <= 32 * kib ? 1.1 : bytes <= mib ? 3.9 : bytes <= third_bytes ? 15 : 150;
    measured.emplace_back(bytes, bytes > 30 * mib ? 250 : ns);
  }
  LatencyCurves curves = curves_of(measured);
  curves.cpu_page_bytes = 4096;
  return curves;
}

TEST(LevelsOfASparseCycle, AreNotEndedByPageEntriesInMemory) {
  const std::vector<Level> levels = find_levels(with_page_entries_in_memory(5 * mib)).levels;
  ASSERT_EQ(levels.size(), 4u);
  EXPECT_NEAR(levels.back().latency_ns.value, 250, 5) << "where the curve ends";
  LatencyCurves of_gpu = with_page_entries_in_memory(5 * mib);
  of_gpu.cpu_page_bytes = 0;
  EXPECT_EQ(find_levels(of_gpu).levels.size(), 5u);
}

TEST(LevelsOfASparseCycle, TakeNoLatencyFromPointsThatOthersPushedOutOfTheLevel) {
  LatencyCurves curves = with_page_entries_in_memory(5 * mib);
  const double usual = find_levels(curves).levels[2].latency_ns.value;
  int pushed_out = 0;
  for (CurvePoint& point : curves.cycle) {
    if (point.bytes < 1.5 * mib || point.bytes > 4 * mib || pushed_out++ % 2 == 1) continue;
    for (double& value : point.values) value = 90;
  }
  EXPECT_GE(pushed_out, 4);
  const std::vector<Level> levels = find_levels(curves).levels;
  ASSERT_GE(levels.size(), 3u);
  EXPECT_NEAR(levels[2].latency_ns.value, usual, 0.1 * usual);
}

/// Measured on a virtual machine's core with 32 KiB and 1 MiB, by a walk over small pages alone.
LatencyCurves of_a_second_level_that_fades_in() {
  LatencyCurves curves = curves_of(
      {{kib, 1.09},         {2 * kib, 1.1},      {4 * kib, 1.1},      {8 * kib, 1.08},     {16 * kib, 1.11},
       {22 * kib, 1.1},     {26 * kib, 1.13},    {32 * kib, 1.21},    {33 * kib, 2.12},    {34 * kib, 3.23},
       {38 * kib, 3.93},    {45 * kib, 3.88},    {53 * kib, 3.85},    {64 * kib, 3.82},    {76 * kib, 3.9},
       {90 * kib, 3.9},     {107 * kib, 3.88},   {128 * kib, 3.86},   {152 * kib, 3.85},   {181 * kib, 3.93},
       {215 * kib, 3.84},   {256 * kib, 3.83},   {304 * kib, 4.17},   {362 * kib, 5.15},   {430 * kib, 5.3},
       {512 * kib, 5.11},   {608 * kib, 5.83},   {724 * kib, 6.29},   {861 * kib, 7.18},   {939 * kib, 8.3},
       {1024 * kib, 8.54},  {1116 * kib, 9.81},  {1217 * kib, 10.57}, {1327 * kib, 11.65}, {1448 * kib, 12.37},
       {1722 * kib, 13.36}, {2048 * kib, 13.58}, {2435 * kib, 14.02}, {2896 * kib, 14.45}, {3444 * kib, 14.12},
       {3756 * kib, 134.9}, {4096 * kib, 119.8}, {4871 * kib, 125.0}, {5311 * kib, 152.7}, {6888 * kib, 160.9},
       {8 * mib, 137.7},    {11 * mib, 162.7},   {16 * mib, 164.1},   {23 * mib, 181.0},   {32 * mib, 185.8},
       {46 * mib, 223.9},   {64 * mib, 279.7}});
  curves.cpu_page_bytes = 4096;
  return curves;
}

TEST(LevelsOfADenseCycle, HaveThePlateauThatIsSeenBesideFarCachesThatMissALittleOfAnySize) {
  const Hierarchy found = find_levels(of_a_second_level_that_fades_in());
  ASSERT_GE(found.levels.size(), 3u);
  const Level& second = found.levels[1];
  EXPECT_NEAR(second.latency_ns.value, 3.87, 0.12);
  EXPECT_GT(second.bytes->value, 512 * kib) << "misses begin early where pages lie by chance";
  EXPECT_LT(second.bytes->value, 1536 * kib);
  EXPECT_GT(second.onset_bytes, 128 * kib) << "the plateau holds up to 256 KiB";
}

/// The place that a number's bits have in reverse: the first ones divide the whole evenly.
unsigned reversed(unsigned number, int bits) {
  unsigned found = 0;
  for (int bit = 0; bit < bits; ++bit) found |= (number >> bit & 1u) << (bits - 1 - bit);
  return found;
}

TEST(LevelsOfTheFirstSizes, HaveBoundsThatHoldACacheHoweverFewTheyAre) {
  constexpr int bits = 6;  // four sizes a doubling, from 1 KiB to 64 MiB
  const std::vector<double> caches{32 * kib, 512 * kib, 16 * mib};
  const std::vector<double> hits_ns{1, 4, 12, 95};
  std::vector<std::pair<double, double>> measured;
  for (unsigned i = 0; i < 1u << bits; ++i) {
    const double bytes = kib * std::exp2(reversed(i, bits) / 4.0);
    const auto cache = std::ranges::find_if(caches, [&](double size) { return bytes <= size; });
    measured.emplace_back(bytes, hits_ns[static_cast<std::size_t>(cache - caches.begin())]);
    const std::size_t count = measured.size();
    if (count < 3 || (count > 8 && count % 8 != 0)) continue;
    std::vector<std::pair<double, double>> sorted = measured;
    std::ranges::sort(sorted);
    const std::vector<Level> levels = find_levels(curves_of(sorted)).levels;
    EXPECT_GE(levels.size(), count < 8 ? 1u : count < 24 ? 3u : 4u) << count;
    EXPECT_LE(levels.size(), 4u) << count;
    for (const Level& level : levels) {
      EXPECT_TRUE(!level.bytes || std::ranges::any_of(caches, [&](double size) {
        return level.bytes->low <= size && size <= level.bytes->high;
      })) << count;
    }
  }
}

/// The same core, of whose third cache others left some 40 MiB; the sweep ends before memory is alone.
LatencyCurves that_end_in_a_climb(double settling) {
  std::vector<std::pair<double, double>> measured;
  for (double bytes = 8 * kib; bytes < 40 * mib; bytes *= 1.19)
    measured.emplace_back(bytes, bytes <= 48 * kib ? 1.23 : bytes <= 2 * mib ? 4.5 : bytes <= 8 * mib ? 38 : 45);
  for (const auto& [bytes, ns] : {std::pair{64 * mib, 53.2}, {91 * mib, 71.5}, {128 * mib, 116.4}})
    measured.emplace_back(bytes, ns);
  LatencyCurves curves = curves_of(measured);
  curves.cycle.back().settling = settling;
  return curves;
}

TEST(LevelsOfACycleThatEndsInAClimb, TheLastHoldsItsEnd) {
  for (const double settling : {0.0, 0.024, 0.4}) {
    const Level last = find_levels(that_end_in_a_climb(settling)).levels.back();
    EXPECT_FALSE(last.bytes.has_value());
    EXPECT_GE(last.latency_ns.high, 116.4);
  }
}

TEST(LevelsOfACycleThatEndsInAClimb, OfASingleLapNothingIsKnown) {
  EXPECT_LT(find_levels(that_end_in_a_climb(1)).levels.back().latency_ns.high, 100);
}

}  // namespace
}  // namespace sonde::analysis
