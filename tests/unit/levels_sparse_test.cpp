// Cycles of which much is not known: one size per octave; the first sizes of a run that goes on; an end in a climb.

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
