// Cycles of which much is not known: one size per octave, as quick effort takes of a CPU's huge pages; an end in a
// climb.

#include <gtest/gtest.h>

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
